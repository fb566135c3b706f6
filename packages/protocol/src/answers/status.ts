import {
  constant,
  count,
  either,
  flag,
  integer,
  list,
  map,
  nullable,
  number,
  object,
  optional,
  part,
  row,
  type TypeOf,
  text,
  timeS,
  words,
} from '../describe.ts'
import { chain } from './shared.ts'

export const live = row('Live', 'Answer of a running process.', {
  live: constant(true, 'Always true.'),
  version: text('Version of the program.'),
  uptime_s: count('Time since the start.', 'seconds'),
  data_dir_id: optional(
    text(
      'Random id of the data directory; `chaintape status` recognizes the service by it. Absent from older services.',
    ),
  ),
})
/** Answer of GET /health/live. */
export type LiveBody = TypeOf<typeof live>

export const chainState = words(
  ['catching_up', 'live', 'lagging'],
  '`catching_up`: not ready yet since the start; `live`: ready; `lagging`: was ready and has fallen behind, see `reason`.',
)

export const historyGap = part('A missing part of the history.', {
  reason: words(
    ['backfill', 'start', 'retention', 'pools', 'unknown'],
    '`backfill`: blocks up to `to_block` are still being read (null: no node has reported the newest block yet). `start`: blocks ' +
      'before the first stored one are configured but missing. `retention`: swaps before `before_time` were deleted. `pools`: these blocks have ' +
      '`unresolved_pools`. `unknown`: the first block was not recorded.',
  ),
  msg: text('The gap as a sentence.'),
  from_block: nullable(count('First missing block; null: unknown.')),
  to_block: nullable(count('Last missing block; null: unknown.')),
  before_time: nullable(
    timeS('Swaps before this time are missing; null: the gap is not limited by time.'),
  ),
})
export type HistoryGap = TypeOf<typeof historyGap>
export type HistoryGapReason = HistoryGap['reason']

export const historyReading = part(
  'Backfill progress while the chain follows the head; null: no backfill.',
  {
    reason: words(
      ['start', 'pools', 'doubts'],
      '`start`: history must begin earlier. `pools`: trades of final blocks are missing. `doubts`: a final block proved wrong.',
    ),
    from_block: count(
      'First block to read. Backfill reads the newest blocks first, in growing parts.',
    ),
    next_block: count('Next block to read.'),
    to_block: nullable(count('Last block to read, the newest one; null: unknown.')),
    blocks_per_s: count('Speed in whole blocks per second over the last 30 seconds.'),
    seconds_left: nullable(
      count('Estimated time until it reaches the head; null: no progress.', 'seconds'),
    ),
    paused_reason: nullable(text('Reason why backfill is paused; null: it is running.')),
  },
)

export const auditStatus = part(
  'Progress of the audit, which compares samples of stored data with the nodes since the service started; null: the audit is off.',
  {
    checked_blocks: count('Number of blocks compared; a block may count more than once.'),
    checked_balances: count('Number of balances compared.'),
    checked_at: nullable(timeS('Time of the last sample; null: none yet.')),
    from_block: nullable(count('First block of the last sample; null: none yet.')),
    to_block: nullable(count('Last block of the last sample; null: none yet.')),
    differences: count(
      'Number of differences found between stored data and the chain, counted each time.',
    ),
    last_difference: nullable(text('The last difference, as a sentence; null: none.')),
    paused_reason: nullable(text('Reason why the audit is paused; null: it is running.')),
  },
)

const health = {
  ready: flag('True: at the newest block, or at most 60 s of block time or 8 blocks behind.'),
  reason: nullable(text('Reason why it is not ready; null: ready.')),
  state: chainState,
  demo: flag('True for the local demo chain, where bots trade worthless tokens.'),
  head_block: nullable(count('Newest applied block; null before the first block.')),
  head_time: nullable(timeS('Time of the newest applied block; null before the first block.')),
  head_age_s: {
    ...nullable(
      integer(
        'Age of the newest applied block; null before the first block, negative if its time is ahead of the clock.',
      ),
    ),
    unit: 'seconds',
  },
  finalized_block: nullable(
    integer('Newest final block; null before the first block, -1: none is final yet.'),
  ),
  tip_block: nullable(count('Newest block announced by the nodes; null: unknown.')),
  lag_blocks: nullable(
    count('Blocks between the newest applied and the newest announced block; null: unknown.'),
  ),
  lag_s: nullable(count('Block time between these two blocks; null: unknown.', 'seconds')),
  persisted_block: nullable(count('Newest block in the database; null: none.')),
  queue_blocks: count('Number of applied blocks that are not in the database yet.'),
  queue_blocks_max: count('Maximum of `queue_blocks`; ingestion pauses there.'),
  paused_reason: nullable(text('Reason why ingestion is paused; null: it is running.')),
  database_error: nullable(text('Error of the database; null: it answers.')),
  rpc_error: nullable(
    text(
      'Error of the nodes: its kind and the index of the endpoint in `rpc`, from 0, for example `endpoint 1: timeout`; null: a node answers. `GET /admin/nodes` has the full messages.',
    ),
  ),
  failed_check: nullable(
    text(
      'A check of `node_checks` that every endpoint fails: since which block, which setting turns it off, and whether blocks are read without it. A chain upgrade is the usual cause. null: none.',
    ),
  ),
  unresolved_pools: count(
    'Number of contracts that no node has confirmed as pools or as other contracts, and of pools with missing trades.',
  ),
  start_block: either(
    [count('A block number.'), constant('latest', 'The newest block at the first start.')],
    'Configured start of the history.',
  ),
  first_block: nullable(count('First stored block; null: nothing stored, or not recorded.')),
  history_complete: flag(
    'True: every swap from `start_block` (with `latest`: from `first_block`) to the newest block is stored.',
  ),
  history_missing: list(object(historyGap), 'The missing parts of the history; empty if complete.'),
  history_reading: nullable(object(historyReading)),
  audit: nullable(object(auditStatus)),
  doubtful_blocks: count(
    'Number of stored blocks whose logs look wrong and that no node could verify.',
  ),
  newest_doubtful_block: nullable(count('The newest of these blocks; null: none.')),
} as const

export const chainHealth = part('Health of a chain.', health)
export type ChainHealth = TypeOf<typeof chainHealth>
export type ChainState = ChainHealth['state']

export const ready = row('Ready', 'Whether the service can answer requests.', {
  ready: flag('Without `chain`: each chain was ready once. With `chain`: the chain is ready now.'),
  reasons: list(text('A sentence.'), 'Reasons why it is not ready; empty if ready.'),
  warnings: list(
    text('A sentence.'),
    'Problems that do not stop the service: a lagging chain, an old head, a slow or unreachable database.',
  ),
  chains: map(object(chainHealth), 'Health of each chain, by name.'),
})
/** Answer of GET /health/ready: 200 when `ready`, else 503. */
export type ReadyBody = TypeOf<typeof ready>

export const unclaimedProgram = part(
  'A program whose calls look like swaps but that no venue decodes.',
  {
    program: text('Address of the program.'),
    calls: count('Number of such calls.'),
    share: number(
      'fraction',
      'Share of all calls that look like swaps, including those that venues decode.',
    ),
  },
)

export const chainStatus = part('State of one chain.', {
  chain,
  ...health,
  unclaimed_logs: list(
    object(
      part('Logs with the same first topic.', {
        address: text('Configured factory, manager or launch platform.'),
        topic: text('First topic of the logs.'),
        logs: count('Number of such logs.'),
      }),
    ),
    'Events of configured contracts that no venue decodes, most frequent first, at most 20, since the service started. A new event of a factory appears here. EVM chains only, counted in blocks that were read whole.',
  ),
  head_hash: nullable(text('Hash of the newest applied block; null before the first block.')),
  pairs: count('Number of known pairs.'),
  tokens: count('Number of known tokens.'),
  unclaimed: list(
    object(unclaimedProgram),
    'Programs that trade but that no venue decodes, most calls first, at most 20: the part of the market that is missing. Solana only, counted in one of 16 blocks since the start.',
  ),
  history_from: nullable(timeS('Time of the oldest stored swap; null: none, or unknown.')),
  history_known: flag('Whether the database answered the query for it.'),
})
export type ChainStatus = TypeOf<typeof chainStatus>

export const status = row('Status', 'State of every chain.', {
  time: timeS('Server time.'),
  chains: list(object(chainStatus), 'The served chains.'),
})
export type Status = TypeOf<typeof status>
