import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture, open, type World } from './world.ts';

/**
 * The interoperability scenarios "Todo" (40 decisions) and "API gateway" (25) of the OpenID AuthZEN working group,
 * one line a user: what is expected of each question, in order.
 */

let world: World;
beforeAll(async () => {
  world = await open(fixture('todo.yaml'));
});
afterAll(() => world.close());

const rick = 'rick@the-citadel.com';
const beth = 'beth@the-smiths.com';
const todo = (ownerID: string) => ({ type: 'todo', id: '7240d0db', properties: { ownerID } });
const questionsOf = (user: string) => [
  { action: { name: 'can_read_user' }, resource: { type: 'user', id: beth } },
  { action: { name: 'can_read_user' }, resource: { type: 'user', id: user } },
  { action: { name: 'can_read_todos' }, resource: { type: 'todo', id: 'todo-1' } },
  { action: { name: 'can_create_todo' }, resource: { type: 'todo', id: 'todo-1' } },
  // Of those of Rick, who asks about one of Morty's too.
  { action: { name: 'can_update_todo' }, resource: todo(rick) },
  { action: { name: 'can_update_todo' }, resource: todo(user === rick ? 'morty@the-citadel.com' : user) },
  { action: { name: 'can_delete_todo' }, resource: todo(rick) },
  { action: { name: 'can_delete_todo' }, resource: todo(user === rick ? 'morty@the-citadel.com' : user) },
];

async function decisions(subject: object, evaluations: object[]): Promise<unknown[]> {
  const { json } = await world.post('/access/v1/evaluations', { subject, evaluations });
  const many = json.evaluations.map(({ decision }: { decision: boolean }) => decision);
  const single: unknown[] = [];
  for (const one of evaluations)
    single.push((await world.post('/access/v1/evaluation', { subject, ...one })).json.decision);
  expect(many).toEqual(single);
  return many;
}

describe('[AZ44] Todo', () => {
  test.each([
    [rick, [true, true, true, true, true, true, true, true]],
    ['morty@the-citadel.com', [true, true, true, true, false, true, false, true]],
    ['summer@the-smiths.com', [true, true, true, true, false, true, false, true]],
    [beth, [true, true, true, false, false, false, false, false]],
    ['jerry@the-smiths.com', [true, true, true, false, false, false, false, false]],
  ])('%s', async (id, expected) => {
    expect(await decisions({ type: 'user', id }, questionsOf(id))).toEqual(expected);
  });

  test.each([
    ['who has no role', { type: 'user', id: 'birdperson' }, [true, false]],
    [
      'who is said to have one',
      { type: 'user', id: 'birdperson', properties: { roles: ['editor'] } },
      [true, true],
    ],
  ])('somebody %s', async (_, subject, expected) => {
    const [, , read, create] = questionsOf(rick) as [object, object, object, object];
    expect(await decisions(subject, [read, create])).toEqual(expected);
  });
});

describe('[AZ44] API gateway', () => {
  const routes = [
    ['GET', '/users/{userId}'],
    ['GET', '/todos'],
    ['POST', '/todos'],
    ['PUT', '/todos/{todoId}'],
    ['DELETE', '/todos/{todoId}'],
  ].map(([name, id]) => ({ action: { name }, resource: { type: 'route', id } }));

  test.each([
    ['rick', [true, true, true, true, true]],
    ['morty', [true, true, true, true, true]],
    ['summer', [true, true, true, true, true]],
    ['beth', [true, true, false, false, false]],
    ['jerry', [true, true, false, false, false]],
  ])('%s', async (name, expected) => {
    expect(await decisions({ type: 'identity', id: `${name}-pid` }, routes)).toEqual(expected);
  });
});
