/** Floods that are tried against the service. */
export const floodNames = [
  'pipelined /metrics',
  '/openapi.json on 100 sockets',
  'pages on 60 sockets',
  'If-None-Match of 15,500 spaces',
  'readers that never read',
  'anonymous clients with bad keys',
  'batches on a free key',
  'MCP batches on a free key',
  'connections',
  'a million subscriptions dropped',
] as const
export type FloodName = (typeof floodNames)[number]
/** `pairs`: addresses of existing pairs. */
export type FloodStart = {
  type: 'start'
  flood: FloodName
  port: number
  pairs: readonly string[]
}
export type FloodOrder = FloodStart | { type: 'stop' }
