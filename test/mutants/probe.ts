import { type Difference, openBoth } from '../oracle/compare.ts';
import { keptQuestions } from '../oracle/kept.ts';
import { compareSeeds, range } from '../oracle/run.ts';

/** The comparison with the twin, short: prints what first shows a difference, and which fields differ. */

const sets = Number(process.argv[2] ?? 300);
/** Explain takes most of the time, and is asked only where the mistake is in it. */
const explained = process.argv[3] === 'explain';

function fieldsOf({ decide, twin }: Difference): string {
  const fields = Object.keys({ ...decide, ...twin }).filter(
    (field) => JSON.stringify(Reflect.get(decide, field)) !== JSON.stringify(Reflect.get(twin, field)),
  );
  return fields.join(', ') || 'explain';
}

function firstDifference(): string | undefined {
  const [failure] = compareSeeds(range(1, sets), undefined, 1, explained);
  if (failure !== undefined) return `seed ${failure.seed}: ${fieldsOf(failure.difference)}`;
  for (const { name, documents, channel, request } of keptQuestions()) {
    const difference = openBoth(documents, channel).difference(request);
    if (difference !== undefined) return `kept ${name}: ${fieldsOf(difference)}`;
  }
  return undefined;
}

try {
  console.log(firstDifference() ?? 'same');
} catch (error) {
  console.log(`threw ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
}
