/** What to know of an export that is made all the same. */

/** Where nobody says which route a request takes, what is allowed on one of them is not. */
export function noRoutes(unheard: readonly string[]): readonly string[] {
  if (unheard.length === 0) return [];
  const names = unheard.slice(0, mostNamed).map((one) => JSON.stringify(one));
  const more = unheard.length > mostNamed ? ` and ${unheard.length - mostNamed} more` : '';
  return [
    `what is allowed on ${unheard.length === 1 ? 'the route' : 'routes'} ${names.join(', ')}${more} is not allowed here, where no route is known; HTTP filters printed with --as filter have a configuration for each`,
  ];
}

const mostNamed = 5;

export const papersShadow =
  'the shadow is as the papers write it, and its results are not the shadow verdicts of the policies; --shadow corrected has those';

export const noTrees =
  'the form is list, not tree: certificates of tags are matched by principals, which have no trees';
