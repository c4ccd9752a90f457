import type { Decision } from '../../pdp/model/decision.ts';
import { engineOf } from '../engine.ts';
import { answerAll, type Question, type QuestionFlags } from '../question.ts';
import { showDecision } from '../show/decision.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';

export async function decide(terminal: Terminal, flags: QuestionFlags): Promise<number> {
  const paint = palette(terminal.out);
  return await answerAll(terminal, flags, (question: Question) => {
    const engine = engineOf(question.set);
    return {
      answer: (request) => engine.decide(request, question.channel),
      decisionOf: (decision: Decision) => decision,
      refuse: (decision) => decision,
      show: (decision) => showDecision(decision, question.placeOfBy, paint),
    };
  });
}
