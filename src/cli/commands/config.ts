import { valueAt } from '../../pdp/model/fields.ts';
import { type ConfigFlags, configured } from '../serve/config.ts';
import { settingPaths, variableOf } from '../serve/config-text.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable, toJson } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';

export interface ShowFlags extends ConfigFlags {
  readonly json?: boolean;
}

/** The effective configuration, and where each setting comes from. */
export async function config(terminal: Terminal, flags: ShowFlags): Promise<number> {
  const { out } = terminal;
  const effective = await configured(terminal, flags, 'shown');
  const rows = settingPaths().map((path) => ({
    key: path.join('.'),
    value: valueAt(effective.config, path),
    origin: effective.originOf(path),
    variable: variableOf(path),
  }));
  if (flags.json) {
    await out.line(
      toJson(
        Object.fromEntries(rows.map(({ key, value, origin }) => [key, { value: value ?? null, origin }])),
      ),
    );
    return 0;
  }
  const paint = palette(out);
  const columns = [{ title: 'SETTING' }, { title: 'VALUE', flexible: true }, { title: 'FROM' }];
  const cells = rows.map(({ key, value, origin }) => [
    key,
    printable(shown(value)),
    origin === 'default' ? paint.dim(origin) : printable(origin),
  ]);
  await out.line(table(columns, cells, out.columns).join('\n'));
  await out.line(
    `\n${paint.dim('A setting is made in placet.yaml (or --config <file>), as a variable (limits.headTime: PLACET_LIMITS_HEAD_TIME)\nor by --set <setting>=<value>; the later of these is stronger.')}`,
  );
  return 0;
}

function shown(value: unknown): string {
  if (value === undefined) return '-';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
