import { totalmem } from 'node:os'
import { type Static, Type } from '../../lib/schema.ts'

/**
 * Limits that an operator may need to change. All others are constants beside the code they limit.
 */
export const limitsSchema = Type.Object(
  {
    queue_blocks_max: limit(
      'Blocks applied and not yet in the database before ingestion pauses.',
      2_000,
      1,
      1_000_000,
    ),
    read_connections_max: limit('Connections to the database for reads.', 10, 1, 1_000),
    // A token with its pairs, windows and price takes about 5 KB.
    encoded_rows_bytes_max: limit(
      'Memory for tokens and pairs of all chains as ready JSON; a small market takes less.',
      536_870_912,
      33_554_432,
      4_000_000_000,
    ),
    connections_max: limit('Open client connections, WebSockets among them.', 60_000, 1, 1_000_000),
    address_connections_max: limit(
      'Open connections of one client address, an IPv6 /64 being one; further ones are closed at once.',
      4_096,
      1,
      1_000_000,
    ),
    // A documentation page takes six requests, a metrics scrape one.
    stranger_requests_per_s: limit(
      'Requests without a key that works that one client address may send in a second, five times as many after a pause; then 429. Every 32 KB of a long document count as one.',
      100,
      1,
      1_000_000,
    ),
    // An idle socket takes some 7 KB: 350 MB in all.
    sockets_max: limit('Open WebSockets.', 50_000, 1, 1_000_000),
    // About 1.3 KB each.
    subscription_bytes_max: limit(
      'Memory for the subscriptions of all WebSockets, whatever their plans.',
      1_073_741_824,
      1_048_576,
      64_000_000_000,
    ),
    head_age_s_max: limit('Age of the newest block before health warns.', 120, 1, 86_400),
    resolve_ms_max: limit(
      'Time a block may wait for facts from the node; what is late follows. For the decimals of new tokens that it prices ten times as long: trades without them are in no kline.',
      300,
      1,
      60_000,
    ),
    rpc_ms_max: limit('Time one HTTP request to a node may take.', 10_000, 100, 600_000),
    rpc_batch_requests_max: limit('Calls in one batch to a node.', 100, 1, 10_000),
    log_range_blocks_max: limit('Blocks in one request for logs.', 2_000, 1, 100_000),
    backfill_ranges_max: limit('Block ranges fetched at the same time in a backfill.', 4, 1, 64),
    history_first_blocks: limit(
      'Blocks before the head that are read first where history is read behind it; each further part reaches eight times as far back.',
      20_000,
      1,
      1_000_000_000,
    ),
    risk_check_ms_max: limit('Time one check of a contract may take.', 8_000, 100, 600_000),
  },
  {
    description:
      'What machine, nodes and clients decide; all else that is bounded has a fixed limit.',
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
    description: 'REST requests per second, also how many at once after a pause; 0: no limit.',
    minimum: 0,
    maximum: 1_000_000,
  }),
  credits_per_period: planLimit('Credit units of a calendar month (UTC); 0: no limit.'),
  sockets_max: planLimit('Open WebSockets of one key; 0: no limit.'),
  subscriptions_max: planLimit('Subscribed items of one WebSocket; 0: no limit.'),
  price_ids_max: planLimit('Ids in one price subscribe; 0: no limit.'),
  messages_per_s: planLimit('Messages a second that one WebSocket may send; 0: no limit.'),
  message_bytes_max: planServiceLimit(
    'Size of one message of a WebSocket; over it the socket is closed with 1009; 0: 1 MiB.',
  ),
  batch_calls_max: planServiceLimit('Calls in one JSON-RPC batch; 0: 500.'),
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
        'Memory for the tokens and pairs of all chains, as 4GiB or in bytes; a third of it is for writing snapshots. What exceeds it is kept in files below data_dir, see docs/inside/cold.md. Without it: half of what the machine or its container has.',
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
