import { describe, expect, test } from 'vitest';
import { Failure } from '../../../src/cli/failure.ts';
import { channelFrom } from '../../../src/cli/requests/channel.ts';
import { requestFlagsGiven, requestFromFlags } from '../../../src/cli/requests/flags.ts';
import { isRequest } from '../../../src/pdp/model/read-request.ts';
import { channelOf, operatorChannel } from '../../../src/pdp/model/request.ts';

const nobody = { dataplanes: new Map() };

describe('a request from flags', () => {
  test('[CLI1] every flag lands where the request has it', () => {
    const request = requestFromFlags(
      {
        sourceSpiffeId: 'spiffe://td/a',
        sourceMesh: 'default',
        source: ['k8s:ns=a', 'site:name=x=y'],
        tag: ['version=v1', 'version=v2', 'team=a'],
        incomplete: true,
        dataplane: 'other/backend-1',
        inbound: 'http',
        namespace: 'shop',
        method: 'GET',
        path: '/x?y=z',
        sni: 'backend',
      },
      nobody,
    );
    expect(request).toEqual({
      source: {
        spiffeId: 'spiffe://td/a',
        mesh: 'default',
        tags: { version: ['v1', 'v2'], team: ['a'] },
        attributes: { 'k8s:ns': 'a', 'site:name': 'x=y' },
        complete: false,
      },
      destination: { mesh: 'other', dataplane: 'backend-1', inbound: 'http', namespace: 'shop' },
      request: { method: 'GET', path: '/x?y=z', sni: 'backend' },
    });
    expect(isRequest(request)).toBe(true);
  });

  test.each([
    [{ dataplane: 'backend-1' }, { destination: { dataplane: 'backend-1' } }],
    [{ service: 'shop/pay' }, { destination: { service: 'shop/pay' } }],
    [{ to: ['k8s:ns=a'] }, { destination: { attributes: { 'k8s:ns': 'a' } } }],
    [{ namespace: 'a' }, { destination: { attributes: {}, namespace: 'a' } }],
    [
      { service: 'shop/pay', tag: ['a=__proto__'] },
      { source: { tags: { a: ['__proto__'] } }, destination: { service: 'shop/pay' } },
    ],
  ])('[CLI1] %j', (flags, want) => {
    const request = requestFromFlags(flags, nobody);
    expect(request).toEqual(want);
    expect(isRequest(request)).toBe(true);
  });

  test.each([
    [{ method: 'GET' }, 'the request has no destination'],
    [{ service: 'a/b', dataplane: 'c' }, 'the request has several destinations: --dataplane, --service'],
    [{ service: 'a/b', inbound: 'http' }, '--inbound is an inbound of a dataplane'],
    [{ service: 'a/b', source: ['k8s:ns'] }, '--source k8s:ns: want <key>=<value>'],
    [{ service: 'a/b', source: ['=a'] }, '--source =a: want <key>=<value>'],
    [{ service: 'a/b', source: ['k=1', 'k=2'] }, '--source k: given twice'],
  ])('[CLI4] %j is not understood', (flags, message) => {
    expect(() => requestFromFlags(flags, nobody)).toThrow(message);
    try {
      requestFromFlags(flags, nobody);
    } catch (error) {
      expect(error).toBeInstanceOf(Failure);
      expect((error as Failure).exitCode).toBe(2);
    }
  });

  test('[CLI4] names the flags that were given', () => {
    expect(requestFlagsGiven({ sourceSpiffeId: 'x', to: ['a=b'] })).toEqual(['--source-spiffe-id', '--to']);
  });
});

describe('who is asking', () => {
  test('[REQ5] the operator, unless the flags say how far or as whom', () => {
    expect(channelFrom({})).toEqual(operatorChannel);
    expect(channelFrom({ asCaller: 'assert' })).toEqual(channelOf('assert'));
    expect(channelFrom({ trust: 'observed' })).toEqual({
      identity: 'observed',
      trust: 'observed',
      ceiling: 'attested',
      complete: true,
    });
  });
  test.each([
    [{ trust: 'high' }, '--trust high: want one of attested, '],
    [{ asCaller: 'root' }, '--as-caller root: want one of decide, '],
    [{ asCaller: 'relay', trust: 'attested' }, '--trust and --as-caller exclude each other'],
  ])('[CLI4] %j is not understood', (flags, message) => expect(() => channelFrom(flags)).toThrow(message));
});
