import { join } from 'node:path';
import { bootstrapDocument, ecdsDocument, filterDocument } from '../../envoy/export/documents.ts';
import { Exporter } from '../../envoy/export/exporter.ts';
import type { JsonObject } from '../../envoy/export/json.ts';
import { listenerOf } from '../../envoy/export/listener.ts';
import { ExportRefused } from '../../envoy/export/refused.ts';
import type { Exported, ExportOptions } from '../../envoy/export/types.ts';
import { toYaml } from '../../envoy/export/yaml.ts';
import type { Asked } from '../../pdp/governing.ts';
import {
  askedFrom,
  checkAsked,
  type DocumentKind,
  documentKinds,
  type ExportFlags,
  optionsFrom,
  word,
} from '../export/flags.ts';
import { plaintextWarning } from '../export/plaintext.ts';
import { unseenTagsWarning } from '../export/unseen-tags.ts';
import { validate } from '../export/validate.ts';
import { wiringFrom } from '../export/wiring.ts';
import { fileOf, makeFolder, writeText } from '../export/write.ts';
import { exit } from '../failure.ts';
import { type PolicySet, soundSet } from '../set.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';
import { count } from '../terminal/wrap.ts';

export async function exportEnvoy(terminal: Terminal, flags: ExportFlags): Promise<number> {
  checkAsked(flags);
  const options = optionsFrom(flags);
  const kind = word('--as', flags.as, documentKinds) ?? 'filter';
  const set = await soundSet(flags.policies, terminal);
  const asked = askedFrom(flags, set);
  const { rules, inventory, snapshot } = set.loaded;
  const run = new Run(terminal, set, new Exporter(rules, inventory, snapshot), kind, options, flags);
  return asked === undefined ? await run.all(flags.out as string) : await run.one(asked);
}

class Run {
  readonly #terminal: Terminal;
  readonly #set: PolicySet;
  readonly #exporter: Exporter;
  readonly #kind: DocumentKind;
  readonly #options: ExportOptions;
  readonly #flags: ExportFlags;
  readonly #warned = new Set<string>();
  readonly #texts = new WeakMap<Exported['filters'], string>();
  readonly #validated = new WeakSet<Exported['filters']>();

  constructor(
    terminal: Terminal,
    set: PolicySet,
    exporter: Exporter,
    kind: DocumentKind,
    options: ExportOptions,
    flags: ExportFlags,
  ) {
    this.#terminal = terminal;
    this.#set = set;
    this.#exporter = exporter;
    this.#kind = kind;
    this.#options = options;
    this.#flags = flags;
  }

  async one(asked: Asked): Promise<number> {
    const made = await this.#made(asked);
    if (made === undefined) return exit.problems;
    const { exported, text } = made;
    this.#validate(exported);
    await this.#warn(exported, asked);
    await this.#terminal.out.write(text);
    this.#report(exported.report);
    return exit.ok;
  }

  /** Every inbound of every dataplane, each in a file of its own. What cannot be exported keeps no other from it. */
  async all(folder: string): Promise<number> {
    makeFolder(folder);
    const reports: Exported['report'][] = [];
    let failed = 0;
    for (const { mesh, name, inbounds } of this.#set.loaded.inventory.dataplanes.values())
      for (const inbound of inbounds) {
        const asked = { mesh, dataplane: name, inbound: inbound.name ?? inbound.port };
        const made = await this.#made(asked);
        if (made === undefined) failed++;
        else {
          const { exported, text } = made;
          const file = fileOf(mesh, name, String(asked.inbound));
          writeText(join(folder, `${file}.${this.#flags.json ? 'json' : 'yaml'}`), text);
          this.#validate(exported);
          await this.#warn(exported, asked);
          reports.push(exported.report);
        }
      }
    this.#report(reports);
    const bytes = reports.reduce((sum, { size }) => sum + size.bytes, 0);
    await this.#terminal.out.line(
      `${count(reports.length, 'listener')} in ${printable(folder)}, ${bytes} bytes of filters${failed > 0 ? `, ${failed} refused` : ''}`,
    );
    return failed > 0 ? exit.problems : exit.ok;
  }

  async #made(asked: Asked): Promise<{ readonly exported: Exported; readonly text: string } | undefined> {
    // Nothing but a list of filters has a place for what stands on routes.
    const routes = this.#kind === 'filter' ? 'each' : 'unknown';
    try {
      const exported = this.#exporter.export(asked, this.#options, routes);
      return { exported, text: this.#textOf(exported, asked) };
    } catch (error) {
      if (!(error instanceof ExportRefused)) throw error;
      await this.#refuse(error, asked);
      return undefined;
    }
  }

  async #refuse({ refusal }: ExportRefused, asked: Asked): Promise<void> {
    const { err } = this.#terminal;
    const paint = palette(err);
    const where =
      this.#flags.all && 'dataplane' in asked ? `${asked.mesh}/${asked.dataplane}/${asked.inbound}: ` : '';
    await err.line(`${paint.red('placet:')} ${printable(where + refusal.message)}`);
    for (const { name, reason } of refusal.policies ?? [])
      await err.line(`  ${printable(name)}: ${printable(reason)}`);
    if (refusal.hint !== undefined) await err.line(`  ${printable(refusal.hint)}`);
  }

  #document(exported: Exported, asked: Asked): JsonObject {
    if (this.#kind === 'filter') return filterDocument(exported);
    if (this.#kind === 'ecds') return ecdsDocument(exported);
    const wiring = wiringFrom(this.#flags, asked, this.#set.loaded.inventory);
    return this.#kind === 'listener' ? listenerOf(exported, wiring) : bootstrapDocument(exported, wiring);
  }

  /** Many destinations have the same filters, of which the text is made once. */
  #textOf(exported: Exported, asked: Asked): string {
    const known = this.#kind === 'filter' ? this.#texts.get(exported.filters) : undefined;
    if (known !== undefined) return known;
    const document = this.#document(exported, asked);
    const text = this.#flags.json ? `${JSON.stringify(document, null, 2)}\n` : toYaml(document);
    this.#texts.set(exported.filters, text);
    return text;
  }

  #validate(exported: Exported): void {
    if (!this.#flags.validate || this.#validated.has(exported.filters)) return;
    this.#validated.add(exported.filters);
    validate(exported);
  }

  /** What is worth knowing though it is exact. */
  async #warn({ report }: Exported, asked: Asked): Promise<void> {
    const { err } = this.#terminal;
    const paint = palette(err);
    const { documents, loaded } = this.#set;
    const ofMesh =
      'mesh' in asked ? [plaintextWarning(documents, asked.mesh), unseenTagsWarning(loaded, asked.mesh)] : [];
    const notes = report.policies.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`));
    for (const warning of [...ofMesh.filter((one) => one !== undefined), ...report.warnings, ...notes]) {
      // Of many listeners each would say the same.
      if (this.#warned.has(warning)) continue;
      this.#warned.add(warning);
      await err.line(`${paint.yellow('warning:')} ${printable(warning)}`);
    }
  }

  #report(report: unknown): void {
    const { report: file } = this.#flags;
    if (file !== undefined) writeText(file, `${JSON.stringify(report, null, 2)}\n`);
  }
}
