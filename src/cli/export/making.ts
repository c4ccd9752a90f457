import { bootstrapDocument, ecdsDocument, filterDocument } from '../../envoy/export/documents.ts';
import { Exporter } from '../../envoy/export/exporter.ts';
import type { JsonObject } from '../../envoy/export/json.ts';
import { listenerOf } from '../../envoy/export/listener.ts';
import { Askers, discoveringBootstrap } from '../../envoy/export/modes.ts';
import { ExportRefused } from '../../envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../envoy/export/types.ts';
import { toYaml } from '../../envoy/export/yaml.ts';
import type { Asked } from '../../pdp/governing.ts';
import type { PolicySet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import type { DocumentKind, ExportFlags } from './flags.ts';
import type { Asking } from './mode.ts';
import { plaintextWarning } from './plaintext.ts';
import { unseenTagsWarning } from './unseen-tags.ts';
import { nowhere, validate } from './validate.ts';
import { wiringFrom } from './wiring.ts';

/** What is to be made of any destination. */
export interface Wanted {
  readonly kind: DocumentKind;
  readonly options: ExportOptions;
  readonly flags: ExportFlags;
  readonly asking?: Asking;
}

export interface Made {
  readonly text: string;
  /** Not there where Placet decides, and nothing is exported. */
  readonly exported?: Exported;
}

/** Documents for destinations of one set, with all that is to be said of them. */
export class Making {
  readonly #terminal: Terminal;
  readonly #set: Pick<PolicySet, 'documents' | 'loaded'>;
  readonly #wanted: Wanted;
  readonly #exporter: Exporter;
  #askers: Askers | undefined;
  readonly #warned: Set<string>;
  readonly #texts = new WeakMap<Exported['filters'], string>();
  readonly #validated = new WeakSet<Exported['filters']>();

  /** `warned`: what was said before and is not said again. */
  constructor(
    terminal: Terminal,
    set: Pick<PolicySet, 'documents' | 'loaded'>,
    wanted: Wanted,
    warned = new Set<string>(),
  ) {
    const { rules, inventory, snapshot } = set.loaded;
    this.#terminal = terminal;
    this.#set = set;
    this.#wanted = wanted;
    this.#exporter = new Exporter(rules, inventory, snapshot);
    this.#warned = warned;
  }

  /** Why there is none is said, and comes back. */
  async make(asked: Asked): Promise<Made | ExportRefused> {
    try {
      const made = this.#make(asked);
      await this.#warn(made, asked);
      return made;
    } catch (error) {
      if (!(error instanceof ExportRefused)) throw error;
      await this.#refuse(error, asked);
      return error;
    }
  }

  #make(asked: Asked): Made {
    const { kind, options, flags, asking } = this.#wanted;
    const { rules, inventory } = this.#set.loaded;
    if (asking?.mode === 'ext_authz') {
      this.#askers ??= new Askers(rules, inventory);
      const wiring = wiringFrom(flags, asked, inventory);
      const bootstrap = this.#askers.bootstrap(asked, options.filter, wiring, asking.placet);
      if (flags.validate) validate(bootstrap);
      return { text: this.#text(bootstrap) };
    }
    // Nothing but a list of filters has a place for what stands on routes.
    const exported = this.#exporter.export(asked, options, kind === 'filter' ? 'each' : 'unknown');
    if (asking !== undefined) {
      const wiring = wiringFrom(flags, asked, inventory);
      const bootstrap = discoveringBootstrap(exported, asked, inventory, wiring, asking.placet);
      if (flags.validate) validate(bootstrap);
      return { text: this.#text(bootstrap), exported };
    }
    const text = this.#textOf(exported, asked);
    if (flags.validate && !this.#validated.has(exported.filters)) {
      this.#validated.add(exported.filters);
      validate(bootstrapDocument(exported, nowhere));
    }
    return { text, exported };
  }

  /** Many destinations have the same filters, of which the text is made once. */
  #textOf(exported: Exported, asked: Asked): string {
    const known = this.#wanted.kind === 'filter' ? this.#texts.get(exported.filters) : undefined;
    if (known !== undefined) return known;
    const text = this.#text(this.#document(exported, asked));
    this.#texts.set(exported.filters, text);
    return text;
  }

  #document(exported: Exported, asked: Asked): JsonObject {
    const { kind, flags } = this.#wanted;
    if (kind === 'filter') return filterDocument(exported);
    if (kind === 'ecds') return ecdsDocument(exported);
    const wiring = wiringFrom(flags, asked, this.#set.loaded.inventory);
    return kind === 'listener' ? listenerOf(exported, wiring) : bootstrapDocument(exported, wiring);
  }

  #text(document: JsonObject): string {
    return textOf(document, this.#wanted.flags);
  }

  async #refuse({ refusal }: ExportRefused, asked: Asked): Promise<void> {
    const { err } = this.#terminal;
    const paint = palette(err);
    const where =
      this.#wanted.flags.all && 'dataplane' in asked
        ? `${asked.mesh}/${asked.dataplane}/${asked.inbound}: `
        : '';
    await err.line(`${paint.red('placet:')} ${printable(where + refusal.message)}`);
    for (const { name, reason } of refusal.policies ?? [])
      await err.line(`  ${printable(name)}: ${printable(reason)}`);
    if (refusal.hint !== undefined) await err.line(`  ${printable(refusal.hint)}`);
  }

  /** What is worth knowing though it is exact. */
  async #warn({ exported }: Made, asked: Asked): Promise<void> {
    const { err } = this.#terminal;
    const paint = palette(err);
    const { documents, loaded } = this.#set;
    const ofMesh =
      'mesh' in asked ? [plaintextWarning(documents, asked.mesh), unseenTagsWarning(loaded, asked.mesh)] : [];
    const { policies = [], warnings = [] } = exported?.report ?? {};
    const notes = policies.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
    for (const warning of [...ofMesh.filter((one) => one !== undefined), ...warnings, ...notes]) {
      // Of many listeners each would say the same.
      if (this.#warned.has(warning)) continue;
      this.#warned.add(warning);
      await err.line(`${paint.yellow('warning:')} ${printable(warning)}`);
    }
  }
}

export function textOf(document: JsonObject, { json }: Pick<ExportFlags, 'json'>): string {
  return json ? `${JSON.stringify(document, null, 2)}\n` : toYaml(document);
}
