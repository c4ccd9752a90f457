import type { Conversation, Listener, Method } from '../grpc/call.ts';
import { GrpcError, status } from '../grpc/status.ts';
import { WireReader } from '../wire/reader.ts';

const serving = { yes: 1, no: 2, unknown: 3 } as const;

/** `grpc.health.v1`: each service that there is does as well as the whole server, whose name is empty. */
export interface Health {
  readonly methods: ReadonlyMap<string, Method>;
  /** To be called when what `isReady` says may have changed. */
  changed(): void;
}

type State = (typeof serving)[keyof typeof serving];

/** `paths`: of all other methods that the server has; whatever is asked for under another name is unknown. */
export function healthMethods(isReady: () => boolean, paths: Iterable<string>): Health {
  const known = new Set(['', 'grpc.health.v1.Health', ...[...paths].map(serviceOf)]);
  const watching = new Map<Conversation, State>();
  const answer = (state: State) => Buffer.from([0x08, state]);
  const now = () => (isReady() ? serving.yes : serving.no);
  const tell = (conversation: Conversation, state: State) => {
    if (watching.get(conversation) === state) return;
    watching.set(conversation, state);
    conversation.send(answer(state));
  };
  const check = (message: Buffer) => {
    if (!known.has(nameIn(message))) throw new GrpcError(status.notFound, 'there is no service of this name');
    return answer(now());
  };
  const watch = (conversation: Conversation): Listener => ({
    message(message) {
      if (watching.has(conversation)) throw new GrpcError(status.internal, 'got two messages, want one');
      tell(conversation, known.has(nameIn(message)) ? now() : serving.unknown);
    },
    // Who watches has no more to say, and goes on watching.
    half: () => undefined,
    closed: () => void watching.delete(conversation),
  });
  return {
    methods: new Map<string, Method>([
      ['/grpc.health.v1.Health/Check', { unary: check }],
      ['/grpc.health.v1.Health/Watch', { streaming: watch }],
    ]),
    changed() {
      const state = now();
      // The protocol lets who asks for what is not there go on waiting for it; here it never comes.
      for (const [conversation, said] of watching) if (said !== serving.unknown) tell(conversation, state);
    },
  };
}

/** `/service/method`. */
function serviceOf(path: string): string {
  return path.slice(1, path.lastIndexOf('/'));
}

/** The name in a HealthCheckRequest. */
function nameIn(message: Buffer): string {
  const reader = new WireReader(message);
  let name = '';
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) name = reader.text();
    else reader.skip();
  }
  return name;
}
