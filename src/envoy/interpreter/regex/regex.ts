import { Automaton } from './automaton.ts';
import { parseRegex, RegexFault } from './syntax.ts';

/** Texts whose answer is kept: the same few identities and paths are asked for again and again. */
const kept = 4_096;

/** A test for texts that a pattern matches as a whole, as Envoy uses RE2. Throws a `RegexFault`. */
export function wholeMatch(pattern: string, largest: number): (text: string) => boolean {
  const automaton = new Automaton(parseRegex(pattern));
  if (automaton.size > largest) throw new RegexFault(`a program of more than ${largest} instructions`, true);
  const known = new Map<string, boolean>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined) {
      answer = automaton.matches(text);
      if (known.size >= kept) known.clear();
      known.set(text, answer);
    }
    return answer;
  };
}
