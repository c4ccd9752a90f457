import type { z } from 'zod';
import { choice, list, object } from '../schema/fields.ts';
import { targetRefSchema } from '../targets/ref-schema.ts';
import type { TargetKind } from '../targets/target-ref.ts';
import { withHints } from './ref-hints.ts';

/** The parts of a MeshTrafficPermission that speak of clients by their tags (SPEC TAG1–TAG4). */

const actions = ['Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'] as const;

/** Upper, lower and mixed case, in one word or with a sign between the words. */
function spellingsOf(action: string): readonly string[] {
  const words = action.split(/(?=[A-Z])/);
  const lower = words.map((word) => word.toLowerCase());
  const camel = [lower[0]!, ...words.slice(1)];
  const sentence = [words[0]!, ...lower.slice(1)];
  const cased = [words, lower.map((word) => word.toUpperCase()), lower, camel, sentence];
  return ['', '_', '-'].flatMap((sign) => cased.map((one) => one.join(sign)));
}

const others = new Set(actions.flatMap(spellingsOf).filter((one) => !actions.some((name) => name === one)));

const action = choice([...actions, ...others], 'Enforced first, shadow effect second.', {
  named: actions,
});

const clientKinds: readonly TargetKind[] = ['Mesh', 'MeshSubset', 'MeshService', 'MeshServiceSubset'];

const byTags = 'clients are known by their tags: write kind "MeshService" or "MeshSubset"';

const clients = withHints(targetRefSchema('from', clientKinds), {
  MeshGateway: byTags,
  MeshMultiZoneService: byTags,
  MeshExternalService: 'what is outside the mesh is no client of it',
  Dataplane: byTags,
  Proxy: byTags,
  MeshGatewayRoute: byTags,
  MeshHTTPRoute: byTags,
  HTTPRoute: byTags,
  MeshTCPRoute: byTags,
});

/** A later item overrides an earlier one. */
export const laterItems = list(
  object({ targetRef: clients.optional(), default: object({ action }, 'What happens to them.') }),
  'Permissions by tags: a later item overrides an earlier one.',
);

/** The older form, in which the first item wins. */
export const firstItems = list(
  object({ targetRef: clients.optional(), action }),
  'Permissions by tags: of several items that match, the first one wins.',
);

export type Action = z.infer<typeof action>;
