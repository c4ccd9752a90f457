import {
  context,
  ProxyTracerProvider,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Env } from '../http/env.ts';

const headers: TextMapGetter<Headers> = {
  get: (carrier, key) => carrier.get(key) ?? undefined,
  keys: (carrier) => [...carrier.keys()],
};

/** Whether whoever started the program configured an SDK; without one tracing must cost nothing. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('placet') !== undefined;
}

/** A span for each request, below the one that the caller names in `traceparent`. */
export function spans(): MiddlewareHandler<Env> {
  const tracer = trace.getTracer('placet');
  return async (c, next) => {
    const parent = propagation.extract(context.active(), c.req.raw.headers, headers);
    const { method } = c.req;
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER }, parent);
    await context.with(trace.setSpan(parent, span), next);
    // Known only now, and unlike a path one of few.
    const route = routePath(c, -1);
    span.updateName(`${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': c.res.status,
    });
    if (c.res.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    if (c.res.status >= 500 && c.error !== undefined) span.recordException(c.error);
    span.end();
  };
}

/** Of the span that is open now, for the log. */
export function traceId(): string | undefined {
  return trace.getActiveSpan()?.spanContext().traceId;
}
