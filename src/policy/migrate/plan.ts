import type { Fields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Document } from '../document.ts';
import type { Loaded, PolicyInfo } from '../load.ts';
import type { Permission } from '../lower/policy.ts';
import { type Beyond, Outlook } from './beyond.ts';
import { choose } from './choose.ts';
import { clientsOf } from './clients.ts';
import { emptyTally } from './compare.ts';
import { destinationOf, groundsOf } from './ground.ts';
import { Inbounds } from './inbounds.ts';
import type { Marks } from './marks.ts';
import { Matching } from './matching.ts';
import { Others } from './others.ts';
import type { MeshPlan, Options, Plan, PolicyPlan, Status } from './outcome.ts';
import { checked } from './round-trip.ts';
import { type Setting, settingOf } from './setting.ts';
import { solve } from './solve.ts';
import { type Target, targetOf } from './target.ts';
import { wantedOf } from './wanted.ts';
import { tooMuch } from './work.ts';
import { documentsOf, type Source, sourceOf } from './write.ts';

/** How the tag permissions of a sound set are said in the SPIFFE form (SPEC MIG1–MIG9). Nothing is written here. */
export function planOf(
  loaded: Loaded,
  documents: readonly Document[],
  options: Options,
  reload: (documents: readonly Document[]) => Loaded,
): Plan {
  const clients = clientsOf(loaded.inventory, documents);
  const inbounds = new Inbounds(loaded.inventory);
  const others = new Others(loaded.rules, loaded.inventory, clients);
  const matching = new Matching(clients.sources);
  const names = new Set(
    loaded.policies.map(({ kind, mesh, namespace, name }) => nameKey(kind, mesh, namespace, name)),
  );
  const headOf = headsOf(loaded);
  const meshes = groundsOf(loaded).map((ground): MeshPlan => {
    const refused = tooMuch(ground, clients);
    if (refused !== undefined) return { ground, policies: [], nobody: emptyTally(), refused };
    const setting = settingOf(ground, clients, matching);
    const sources = ground.policies.map(({ info }) => sourceOf(info, documents));
    const targets = ground.policies.map(({ info }, policy) => {
      const when = destinationOf(loaded.rules[info.first]!);
      const targetRef = sources[policy]!.spec['targetRef'] as Fields | undefined;
      return targetOf(targetRef, headOf(info), when, inbounds);
    });
    return new MeshPlanner(setting, others, sources, targets, options, names).plan();
  });
  return checked({ clients, meshes }, loaded, inbounds, documents, reload);
}

/** Permissions have their heads among policies that target. */
function headsOf({ targeted }: Loaded): (info: PolicyInfo) => Permission['head'] {
  const place = (document: number, path: Path) => JSON.stringify([document, path]);
  const heads = new Map(targeted.map(({ head }) => [place(head.document, head.specPath), head]));
  return ({ document, path }) => heads.get(place(document, path)) as Permission['head'];
}

function nameKey(kind: string, mesh: string, namespace: string | undefined, name: string): string {
  return JSON.stringify([kind, mesh, namespace ?? '', name]);
}

class MeshPlanner {
  readonly #setting: Setting;
  readonly #others: Others;
  readonly #sources: readonly Source[];
  readonly #targets: readonly Target[];
  readonly #options: Options;
  readonly #names: Set<string>;

  constructor(
    setting: Setting,
    others: Others,
    sources: readonly Source[],
    targets: readonly Target[],
    options: Options,
    names: Set<string>,
  ) {
    this.#setting = setting;
    this.#others = others;
    this.#sources = sources;
    this.#targets = targets;
    this.#options = options;
    this.#names = names;
  }

  plan(): MeshPlan {
    const { ground, clients } = this.#setting;
    const { allowNarrower, allowWider, everySource } = this.#options;
    const mode = allowWider && !allowNarrower ? 'wide' : 'narrow';
    const wanted = wantedOf(this.#setting, this.#others, mode);
    const reasons = ground.policies.map((_, policy) => this.#lost(policy));
    const isLost = (policy: number) => reasons[policy] !== undefined;
    const marks = solve({ ground, clients, wanted, mode, isLost });
    const outlook = new Outlook(this.#setting, this.#others, wanted, marks);
    const beyonds = ground.policies.map((_, policy) => (isLost(policy) ? undefined : outlook.of(policy)));
    const unsure = ground.policies.map(({ scope }) =>
      ground.scopes[scope]!.groups.some(
        (group) => ground.groups[group]!.requestsTell || wanted.others[group]?.readsRequests === true,
      ),
    );
    const canWrite = (policy: number) => {
      const found = beyonds[policy];
      if (found === undefined) return false;
      if (everySource && !(isEqual(found) && this.#isSame(policy))) return false;
      if (unsure[policy] === true && !(allowNarrower && allowWider)) return false;
      return allowWider || !opens(found);
    };
    // What could be written by itself is compared as if it were, so that its verdicts are told.
    const choice = choose(this.#setting, wanted, marks, (policy) => !isLost(policy), canWrite, {
      narrows: allowNarrower,
      widens: allowWider,
    });
    const policies = ground.policies.map(({ info }, policy): PolicyPlan => {
      const tally = choice.all.policies[policy]!;
      const causes = new Set(tally.causes);
      const found = beyonds[policy];
      if (found !== undefined && opens(found)) causes.add('widens');
      if (unsure[policy] === true) causes.add('widens').add('narrows');
      const status = isLost(policy) ? 'lost' : this.#status(policy, causes, found);
      return {
        info,
        status,
        reasons: this.#reasons(
          policy,
          status,
          reasons[policy],
          found,
          unsure[policy] === true,
          wanted.overruled.has(policy),
          choice.isChosen(policy),
        ),
        written: choice.isChosen(policy),
        tally,
        beyond: found,
        documents: isLost(policy) ? [] : this.#documents(policy, marks),
      };
    });
    return { ground, policies, nobody: choice.all.nobody, refused: undefined };
  }

  #lost(policy: number): string | undefined {
    const { ground } = this.#setting;
    const target = this.#targets[policy]!;
    if (!target.ok) return target.reason;
    return ground.scopes[ground.policies[policy]!.scope]!.groups.length === 0
      ? 'it governs no inbound of the inventory, so that there is nothing to compare'
      : undefined;
  }

  #isSame(policy: number): boolean {
    const target = this.#targets[policy]!;
    return target.ok && target.same;
  }

  #status(policy: number, causes: ReadonlySet<string>, found: Beyond | undefined): Status {
    if (causes.size === 2) return 'different';
    if (causes.has('widens')) return 'wider';
    if (causes.has('narrows')) return 'narrower';
    return found !== undefined && isEqual(found) && this.#isSame(policy) ? 'equal' : 'equal-for-inventory';
  }

  #reasons(
    policy: number,
    status: Status,
    lost: string | undefined,
    found: Beyond | undefined,
    isUnsure: boolean,
    isOverruled: boolean,
    isWritten: boolean,
  ): readonly string[] {
    if (lost !== undefined) return [lost];
    const { everySource } = this.#options;
    const reasons: string[] = [];
    if (isUnsure)
      reasons.push(
        'other policies of its inbounds read paths, methods or server names, or are for a route, or for a namespace that no label says, so that verdicts depend on more than the client',
      );
    if (isOverruled)
      reasons.push(
        'other policies deny clients that it lets in, also by what certificates do not say, and it does not let these in then',
      );
    if (!this.#isSame(policy))
      reasons.push(
        'its target is written as a dataplane by labels, which select the same inbounds of the inventory',
      );
    if (found?.settled === false) reasons.push('it is not proved that clients to come are treated alike');
    if (!isWritten && status === 'equal')
      reasons.push('it relies on the denies of policies that are not written');
    if (!isWritten && status === 'equal-for-inventory')
      reasons.push(
        everySource
          ? 'it is equal only for the clients of the inventory'
          : 'it relies on the denies of policies that are not written',
      );
    return reasons;
  }

  #documents(policy: number, marks: Marks): readonly Fields[] {
    const target = this.#targets[policy]!;
    if (!target.ok) return [];
    const { clients } = this.#setting;
    return documentsOf(this.#sources[policy]!, target.targetRef, policy, marks, clients, ({ info }, name) => {
      const key = nameKey(info.kind, info.mesh, info.namespace, name);
      const isTaken = this.#names.has(key);
      this.#names.add(key);
      return isTaken;
    });
  }
}

function isEqual({ witnesses, settled }: Beyond): boolean {
  return settled && witnesses.length === 0;
}

/** Whether it lets in IDs that nobody has yet and that may be of clients who are denied now. */
function opens({ witnesses }: Beyond): boolean {
  return witnesses.some(({ change, isNew }) => change === 'widens' && isNew);
}
