export const worlds = ['enforced', 'shadow'] as const;
export type World = (typeof worlds)[number];

/**
 * `narrow`: nobody gets in who does not now; an ID that clients with different verdicts share is denied.
 * `wide`: nobody is shut out who gets in now.
 */
export type Mode = 'narrow' | 'wide';
