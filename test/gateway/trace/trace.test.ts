import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Env } from '../../../src/gateway/http/env.ts';
import { isTraced, spans, traceId } from '../../../src/gateway/trace/trace.ts';

test('[TRC1] with an SDK each request is a span below the one that the caller names; without one there is none', async () => {
  expect(isTraced()).toBe(false);
  expect(traceId()).toBeUndefined();
  const exporter = new InMemorySpanExporter();
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  provider.register();
  expect(isTraced()).toBe(true);

  const app = new Hono<Env>();
  app.use(spans());
  app.get('/policies/:name', async (c) => {
    await new Promise(setImmediate);
    return c.text(traceId() ?? 'none');
  });
  app.get('/broken', () => {
    throw new Error('broken');
  });
  app.onError((_, c) => c.text('', 500));
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const parent = 'b7ad6b7169203331';
  const headers = { traceparent: `00-${trace}-${parent}-01` };
  expect(await (await app.request('/policies/a', { headers })).text()).toBe(trace);
  await app.request('/broken');

  const [found, broken] = exporter.getFinishedSpans();
  expect(found).toMatchObject({
    name: 'GET /policies/:name',
    parentSpanContext: { traceId: trace, spanId: parent },
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/policies/:name',
      'http.response.status_code': 200,
    },
  });
  expect(broken).toMatchObject({ name: 'GET /broken', status: { code: 2 } });
  expect(broken?.parentSpanContext).toBeUndefined();
  expect(broken?.events.map(({ name }) => name)).toEqual(['exception']);
});
