import { totalmem } from 'node:os'
import { type Static, Type } from '../../lib/schema.ts'

/**
 * Limits that an operator may need to change. All others are constants beside the code they limit.
 */
export const limitsSchema = Type.Object(
  {
    queue_blocks_max: limit(
      'Applied blocks that may wait for the database before ingestion pauses.',
      2_000,
      1,
      1_000_000,
    ),
    read_connections_max: limit('Connections to the database for reads.', 10, 1, 1_000),
    // A token with its pairs, windows and price takes about 5 KB.
    encoded_rows_bytes_max: limit(
      'Memory for encoded token and pair rows of all chains. A small market uses less.',
      536_870_912,
      33_554_432,
      4_000_000_000,
    ),
    connections_max: limit('Open client connections, including WebSockets.', 60_000, 1, 1_000_000),
    address_connections_max: limit(
      'Open connections per client address; an IPv6 /64 counts as one address. Further connections are closed at once.',
      4_096,
      1,
      1_000_000,
    ),
    // A documentation page takes six requests, a metrics scrape one.
    stranger_requests_per_s: limit(
      'Requests per second without a valid key per client address, five times as many after a pause; then 429. Every 32 KB of a long document count as one request.',
      100,
      1,
      1_000_000,
    ),
    // An idle socket takes some 7 KB: 350 MB in all.
    sockets_max: limit('Open WebSockets.', 50_000, 1, 1_000_000),
    // About 1.3 KB each.
    subscription_bytes_max: limit(
      'Memory for the subscriptions of all WebSockets, regardless of their plans.',
      1_073_741_824,
      1_048_576,
      64_000_000_000,
    ),
    head_age_s_max: limit('Age of the newest block from which health warns.', 120, 1, 86_400),
    resolve_ms_max: limit(
      'How long a block may wait for facts from the nodes; late facts follow after the block. Decimals of a new token that the block prices may take ten times as long, because trades without decimals are in no kline.',
      300,
      1,
      60_000,
    ),
    rpc_ms_max: limit('Timeout of one HTTP request to a node.', 10_000, 100, 600_000),
    rpc_batch_requests_max: limit('Calls per batch to a node.', 100, 1, 10_000),
    log_range_blocks_max: limit('Blocks per request for logs.', 2_000, 1, 100_000),
    backfill_ranges_max: limit('Block ranges that a backfill fetches at the same time.', 4, 1, 64),
    history_first_blocks: limit(
      'Blocks before the head that backfill reads first; each further part is eight times as long.',
      20_000,
      1,
      1_000_000_000,
    ),
    risk_check_ms_max: limit('Timeout of one contract check.', 8_000, 100, 600_000),
  },
  {
    description:
      'Limits that depend on machine, nodes and clients. Everything else has a fixed limit.',
    default: {},
  },
)

function limit(description: string, value: number, minimum: number, maximum: number) {
  return Type.Integer({ description, default: value, minimum, maximum })
}

const planLimitMax = 1_000_000_000_000

/** Limits of a plan's keys. A built-in plan that is given in part keeps its other values. */
export const planSchema = Type.Object({
  requests_per_s: Type.Number({
    description: 'REST requests per second, also the burst after a pause; 0: no limit.',
    minimum: 0,
    maximum: 1_000_000,
  }),
  credits_per_period: planLimit('Credit units per calendar month (UTC); 0: no limit.'),
  sockets_max: planLimit('Open WebSockets per key; 0: no limit.'),
  subscriptions_max: planLimit('Subscribed items per WebSocket; 0: no limit.'),
  price_ids_max: planLimit('Ids per price subscription; 0: no limit.'),
  messages_per_s: planLimit(
    'Messages per second that a client may send on one WebSocket; 0: no limit.',
  ),
  message_bytes_max: planServiceLimit(
    'Size of one WebSocket message from a client; a larger one closes the socket with 1009. 0: 1 MiB.',
  ),
  batch_calls_max: planServiceLimit('Calls per JSON-RPC batch; 0: 500.'),
})

function planLimit(description: string) {
  return Type.Integer({ description, minimum: 0, maximum: planLimitMax })
}

/** Optional: the limit of the whole service always applies. */
function planServiceLimit(description: string) {
  return Type.Integer({ description, default: 0, minimum: 0, maximum: planLimitMax })
}

export type PlanConfig = Static<typeof planSchema>

const unitBytes = { MiB: 2 ** 20, GiB: 2 ** 30 }
/**
 * Default part of the machine's memory: the rest is for clients, the database and the disk cache.
 */
const machineShare = 1 / 2

export const marketMemoryField = Type.Optional(
  Type.Union(
    [
      Type.String({ pattern: '^[1-9]\\d{0,6}[MG]iB$', form: 'size in MiB or GiB (example: 4GiB)' }),
      Type.Integer({ minimum: 2 ** 14, maximum: 2 ** 50 }),
    ],
    {
      description:
        'Memory for the tokens and pairs of all chains, as 4GiB or in bytes. A third of it is reserved for writing snapshots. A larger market is kept in files below data_dir, see docs/inside/cold.md. Default: half the memory of the machine or container.',
    },
  ),
)

/** The setting in bytes. */
export function marketMemoryOf(config: { market_memory?: string | number }): number {
  const { market_memory: given } = config
  if (given === undefined) return Math.floor(machineBytes() * machineShare)
  if (typeof given === 'number') return given
  return Number.parseInt(given, 10) * unitBytes[given.slice(-3) as keyof typeof unitBytes]
}

/** Memory of the machine, or of the container where its limit is lower. */
export function machineBytes(): number {
  const limit = process.constrainedMemory() ?? 0
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
