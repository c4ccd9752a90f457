import { notThere } from '../../pdp/explain/not-there.ts';
import type { Decision } from '../../pdp/model/decision.ts';
import type { Inventory } from '../../pdp/model/inventory.ts';
import type { Request } from '../../pdp/model/request.ts';
import { engineOf } from '../engine.ts';
import { answerAll, type Question, type QuestionFlags } from '../question.ts';
import { showDecision } from '../show/decision.ts';
import type { Terminal } from '../terminal/output.ts';
import { palette } from '../terminal/paint.ts';
import { printable } from '../terminal/plain.ts';

export async function decide(terminal: Terminal, flags: QuestionFlags): Promise<number> {
  const paint = palette(terminal.out);
  return await answerAll(terminal, flags, (question: Question) => {
    const engine = engineOf(question.set);
    const { inventory } = question.set.loaded;
    return {
      answer: (request) => engine.decide(request, question.channel),
      decisionOf: (decision: Decision) => decision,
      refuse: (decision) => decision,
      show: (decision, request) => [
        ...showDecision(decision, question.placeOfBy, paint),
        ...(decision.reason === 'unknown-destination' ? missing(request as Request, inventory) : []),
      ],
    };
  });
}

function missing({ destination }: Request, inventory: Inventory): string[] {
  const found = notThere(destination, inventory);
  return found === undefined
    ? []
    : [
        printable(
          `  ${found.looked}${found.instead === undefined ? ', nor any other' : `; ${found.instead}`}`,
        ),
      ];
}
