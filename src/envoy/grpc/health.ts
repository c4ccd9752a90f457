import type { Conversation, Listener, Method } from './call.ts';

const serving = { yes: 1, no: 2 } as const;

/** `grpc.health.v1`: of the whole server, whichever of its services is asked for. */
export interface Health {
  readonly methods: ReadonlyMap<string, Method>;
  /** To be called when what `isReady` says may have changed. */
  changed(): void;
}

export function healthMethods(isReady: () => boolean): Health {
  const watching = new Map<Conversation, boolean>();
  const answer = (ready: boolean) => Buffer.from([0x08, ready ? serving.yes : serving.no]);
  const tell = (conversation: Conversation) => {
    const ready = isReady();
    if (watching.get(conversation) === ready) return;
    watching.set(conversation, ready);
    conversation.send(answer(ready));
  };
  const watch = (conversation: Conversation): Listener => ({
    message: () => tell(conversation),
    // Who watches has no more to say, and goes on watching.
    half: () => undefined,
    closed: () => void watching.delete(conversation),
  });
  return {
    methods: new Map<string, Method>([
      ['/grpc.health.v1.Health/Check', { unary: () => answer(isReady()) }],
      ['/grpc.health.v1.Health/Watch', { streaming: watch }],
    ]),
    changed() {
      for (const conversation of watching.keys()) tell(conversation);
    },
  };
}
