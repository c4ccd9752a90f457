import type { Explanation } from '../../pdp/explain.ts';
import { engineOf } from '../engine.ts';
import { answerAll, type Question, type QuestionFlags } from '../question.ts';
import { placeOf } from '../set.ts';
import { showExplanation } from '../show/explanation.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';

export async function explain(
  terminal: Terminal,
  flags: QuestionFlags & { readonly all?: boolean },
): Promise<number> {
  const paint = palette(terminal.out);
  return await answerAll(terminal, flags, ({ set, channel, placeOfBy }: Question) => {
    const engine = engineOf(set);
    const byId = new Map(set.loaded.rules.map((rule) => [rule.id, rule]));
    const placeOfRule = (id: string) => {
      const rule = byId.get(id);
      return rule && placeOf(set, rule);
    };
    return {
      answer: (request) => engine.explain(request, channel),
      decisionOf: ({ decision }: Explanation) => decision,
      refuse: (decision) => ({ decision, rules: [] }),
      show: (explanation) => showExplanation(explanation, placeOfBy, placeOfRule, flags.all === true, paint),
    };
  });
}
