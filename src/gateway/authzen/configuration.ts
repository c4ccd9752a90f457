/** §9: where the endpoints are. `base` is what callers name this decision point by, without a slash at its end. */
export function configurationAt(base: string): Readonly<Record<string, string>> {
  return {
    policy_decision_point: base,
    ...Object.fromEntries(Object.entries(endpoints).map(([name, path]) => [name, base + path])),
  };
}

export const endpoints = {
  access_evaluation_endpoint: '/access/v1/evaluation',
  access_evaluations_endpoint: '/access/v1/evaluations',
  search_subject_endpoint: '/access/v1/search/subject',
  search_resource_endpoint: '/access/v1/search/resource',
  search_action_endpoint: '/access/v1/search/action',
} as const;
