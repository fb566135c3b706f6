import type { RpcEndpointOptions } from '../chain/rpc/rpcCall.ts'
import { type Static, Type } from '../lib/schema.ts'

const rpcSchema = Type.Object({
  http_url: Type.String({
    description: 'JSON-RPC address; a key in its path or query is not printed.',
    pattern: '^https?://[^/]',
    form: 'http:// or https:// address',
    secret: 'url',
  }),
  ws_url: Type.Optional(
    Type.String({
      description:
        'WebSocket address of the same node, for new heads; without it heads are polled.',
      pattern: '^wss?://[^/]',
      form: 'ws:// or wss:// address',
      secret: 'url',
    }),
  ),
  requests_per_second_max: Type.Integer({
    description:
      'Calls or requests a second (`rate_counts`) that indexing sends to this endpoint at most; what API callers ask of the nodes has the same again.',
    default: 50,
    minimum: 1,
    maximum: 100_000,
  }),
  rate_counts: Type.Enum(['calls', 'requests'], {
    description: 'What the provider counts. calls: each call of a batch; requests: a batch as one.',
    default: 'calls',
  }),
})

/** Schema of a chain's JSON-RPC endpoints. */
export const rpcField = Type.Array(rpcSchema, {
  description:
    'Endpoints, most preferred first; the others take over when it fails, and when it has had its calls of the second.',
  minItems: 1,
  maxItems: 16,
})

export function endpointOptionsOf(rpc: Static<typeof rpcSchema>): RpcEndpointOptions {
  return {
    httpUrl: rpc.http_url,
    wsUrl: rpc.ws_url,
    requestsPerSecondMax: rpc.requests_per_second_max,
    rateCounts: rpc.rate_counts,
  }
}

/** Returns node URLs with their paths in the chain's config. */
export function nodeUrlsOf({
  rpc,
}: {
  rpc: readonly Static<typeof rpcSchema>[]
}): { path: string; url: string }[] {
  return rpc.flatMap(({ http_url, ws_url }, i) => [
    { path: `rpc[${i}].http_url`, url: http_url },
    ...(ws_url === undefined ? [] : [{ path: `rpc[${i}].ws_url`, url: ws_url }]),
  ])
}

/** Returns the chain's setup with this share of its endpoints' request rates. */
export function withRequestRate<setup extends { endpoints: readonly RpcEndpointOptions[] }>(
  setup: setup,
  ratePercent: number,
): setup {
  const endpoints = setup.endpoints.map(({ requestsPerSecondMax: rate, ...endpoint }) => ({
    ...endpoint,
    requestsPerSecondMax: rate && Math.max(1, Math.floor((rate * ratePercent) / 100)),
  }))
  return { ...setup, endpoints }
}
