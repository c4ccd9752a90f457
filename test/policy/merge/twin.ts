import { type Fields, isFields } from '../../../src/pdp/model/fields.ts';

/**
 * The slow twin of merging: takes one field after another and asks the confs from the strongest down, where
 * src/policy/merge lays one conf over another.
 */
export function slowMerge(strongestFirst: readonly Fields[], concat: ReadonlySet<string>): unknown {
  return value(strongestFirst, []);

  function value(said: readonly unknown[], path: readonly string[]): unknown {
    const [first] = said;
    if (isFields(first)) {
      // What is below something else than an object is out of sight.
      const objects = said.slice(
        0,
        firstThat(said, (one) => !isFields(one)),
      ) as Fields[];
      const keys = new Set(objects.flatMap((one) => Object.keys(one)));
      const result: Record<string, unknown> = Object.create(null);
      for (const key of keys) {
        const below = objects.map((one) => one[key]).filter((one) => one !== null && one !== undefined);
        if (below.length > 0) result[key] = value(below, [...path, key]);
      }
      return result;
    }
    const adds = path.at(-1)!.startsWith('append') || concat.has(path.join('.'));
    if (!Array.isArray(first) || !adds) return first;
    return said
      .slice(
        0,
        firstThat(said, (one) => !Array.isArray(one)),
      )
      .reverse()
      .flat();
  }
}

function firstThat(list: readonly unknown[], is: (one: unknown) => boolean): number {
  const index = list.findIndex(is);
  return index < 0 ? list.length : index;
}
