import { type Fields, isFields } from '../../pdp/model/fields.ts';
import type { Path } from '../../pdp/model/violation.ts';
import type { Head } from '../kinds/head.ts';
import { type TargetRef, targetRefOf, type WrittenTargetRef } from './target-ref.ts';
import type { Conf, Form, Item, Targeted } from './targeted.ts';

/** What a document says, in one shape whatever its form; its schema must have held (SPEC REF3). */
export function targetedOf(head: Head, spec: Fields): Targeted {
  const conf = spec['conf'];
  const targetRef = topOf(spec['targetRef'] as WrittenTargetRef | undefined);
  if (isFields(conf)) {
    const inside = [...head.specPath, 'conf'];
    const to = itemsOf(conf['to'], [...inside, 'to'], inlineConf);
    const from = itemsOf(conf['from'], [...inside, 'from'], inlineConf);
    return all(head, 'first-wins', targetRef, to, from, conf);
  }
  const to = itemsOf(spec['to'], [...head.specPath, 'to'], head.kind.endsWith('Route') ? inlineConf : under);
  // A permission's rules are lists of its own form, and no items.
  const isPermission = head.kind === 'MeshTrafficPermission';
  const from =
    itemsOf(spec['from'], [...head.specPath, 'from'], under) ??
    (isPermission ? undefined : itemsOf(spec['rules'], [...head.specPath, 'rules'], under));
  return all(head, 'later-overrides', targetRef, to, from, isPermission ? spec : spec['default']);
}

function all(
  head: Head,
  form: Form,
  targetRef: TargetRef | undefined,
  to: readonly Item[] | undefined,
  from: readonly Item[] | undefined,
  conf: unknown,
): Targeted {
  const single = to === undefined && from === undefined && isFields(conf);
  return { head, form, targetRef, to, from, own: single ? conf : undefined };
}

/** `{}` means what nothing means. */
function topOf(written: WrittenTargetRef | undefined): TargetRef | undefined {
  return written?.kind === undefined ? undefined : targetRefOf(written);
}

function itemsOf(items: unknown, path: Path, confOf: (item: Fields) => Conf): readonly Item[] | undefined {
  if (!Array.isArray(items)) return undefined;
  return items.map((item: Fields, index) => ({
    targetRef: targetRefOf(item['targetRef'] as WrittenTargetRef | undefined),
    conf: confOf(item),
    path: [...path, index],
  }));
}

function under(item: Fields): Conf {
  return isFields(item['default']) ? item['default'] : {};
}

function inlineConf({ targetRef: _, ...conf }: Fields): Conf {
  return conf;
}
