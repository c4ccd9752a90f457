import { compareSeeds, range } from '../oracle/run.ts';

/** The comparison with the twin, short: prints the first seed that shows a difference and what differs. */

const sets = Number(process.argv[2] ?? 300);
try {
  const [failure] = compareSeeds(range(1, sets), undefined);
  if (failure === undefined) console.log('same');
  else {
    const { decide, twin } = failure.difference;
    const fields = Object.keys({ ...decide, ...twin }).filter(
      (field) => JSON.stringify(Reflect.get(decide, field)) !== JSON.stringify(Reflect.get(twin, field)),
    );
    console.log(`seed ${failure.seed}: ${fields.join(', ') || 'explain'}`);
  }
} catch (error) {
  console.log(`threw ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
}
