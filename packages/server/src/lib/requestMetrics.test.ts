import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createRequestMetrics } from './requestMetrics.ts'

test('default: requests are counted by route, method and status', async () => {
  const registry = new Registry()
  const metrics = createRequestMetrics({ registry, bucketsMs: [1, 10] })
  metrics.answered('/a', 'GET', 200, 0.5)
  metrics.answered('/a', 'GET', 200, 1)
  metrics.answered('/a', 'GET', 404, 2)
  metrics.answered('/a', 'POST', 200, 20)
  metrics.answered('/b', 'GET', 200, 3)
  const lines = (await registry.metrics()).split('\n')
  expect(lines).toContain('chaintape_http_requests_total{method="GET",route="/a",status="200"} 2')
  expect(lines).toContain('chaintape_http_requests_total{method="GET",route="/a",status="404"} 1')
  expect(lines).toContain('chaintape_http_requests_total{method="POST",route="/a",status="200"} 1')
  expect(lines).toContain('# TYPE chaintape_http_request_ms histogram')
  expect(lines).toContain('chaintape_http_request_ms_bucket{le="1",route="/a"} 2')
  expect(lines).toContain('chaintape_http_request_ms_bucket{le="10",route="/a"} 3')
  expect(lines).toContain('chaintape_http_request_ms_bucket{le="+Inf",route="/a"} 4')
  expect(lines).toContain('chaintape_http_request_ms_sum{route="/a"} 23.5')
  expect(lines).toContain('chaintape_http_request_ms_count{route="/a"} 4')
  expect(lines).toContain('chaintape_http_request_ms_count{route="/b"} 1')
})

test('behavior: reading twice counts nothing twice', async () => {
  const registry = new Registry()
  const metrics = createRequestMetrics({ registry, bucketsMs: [1] })
  metrics.answered('/a', 'GET', 200, 0.5)
  const first = await registry.metrics()
  expect(await registry.metrics()).toBe(first)
})
