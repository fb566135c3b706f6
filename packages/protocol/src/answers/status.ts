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

export const live = row('Live', 'The process runs.', {
  live: constant(true, 'Always true.'),
  version: text('Version of the program.'),
  uptime_s: count('How long it has been running.', 'seconds'),
  data_dir_id: optional(
    text(
      'Random id of its data directory, by which `chaintape status` knows the service; absent of older services.',
    ),
  ),
})
/** Answer of GET /health/live. */
export type LiveBody = TypeOf<typeof live>

export const chainState = words(
  ['catching_up', 'live', 'lagging'],
  '`catching_up`: not ready yet since the start; `live`: ready; `lagging`: it was ready and is behind now, see the reason.',
)

export const historyGap = part('Something that is missing of the history.', {
  reason: words(
    ['backfill', 'start', 'retention', 'pools', 'unknown'],
    '`backfill`: blocks up to `to_block` are still being read (null: no node has said which is the newest). `start`: blocks ' +
      'before what is stored are wanted. `retention`: swaps before `before_time` are not kept. `pools`: `unresolved_pools` ' +
      'of these blocks. `unknown`: nobody noted the first block.',
  ),
  msg: text('The same as a sentence.'),
  from_block: nullable(count('First block that is missing; null: not known.')),
  to_block: nullable(count('Last block that is missing; null: not known.')),
  before_time: nullable(timeS('Swaps before this are missing; null: it is not about a time.')),
})
export type HistoryGap = TypeOf<typeof historyGap>
export type HistoryGapReason = HistoryGap['reason']

export const historyReading = part(
  'What is read of the past while the head is followed; null: nothing.',
  {
    reason: words(
      ['start', 'pools', 'doubts'],
      '`start`: history shall begin earlier. `pools`: trades of final blocks were left out. `doubts`: a final block proved wrong.',
    ),
    from_block: count('First block of it. The newest past is read first, in parts that grow.'),
    next_block: count('The next one to be read.'),
    to_block: nullable(count('Last block to be read, the newest one; null: not known.')),
    blocks_per_s: count('How fast it is: whole blocks a second, in the last half minute.'),
    seconds_left: nullable(
      count('Until it is at the head, at that pace; null: it stands still.', 'seconds'),
    ),
    paused_reason: nullable(text('Why it does not go on; null: it does.')),
  },
)

export const auditStatus = part(
  'Samples of what is stored, compared with the nodes since the service started; null: nothing is compared.',
  {
    checked_blocks: count('Blocks that were compared, some of them more than once.'),
    checked_balances: count('Balances that were compared.'),
    checked_at: nullable(timeS('When the last sample was; null: there was none yet.')),
    from_block: nullable(count('First block of that; null: there was none yet.')),
    to_block: nullable(count('Last block of that; null: there was none yet.')),
    differences: count(
      'What was found to be stored otherwise than the chain has it, as often as it was found.',
    ),
    last_difference: nullable(text('The last of these, as a sentence; null: there was none.')),
    paused_reason: nullable(text('Why nothing is compared now; null: it is.')),
  },
)

const health = {
  ready: flag('It is at the newest block, or close behind it: 60 s of block time or 8 blocks.'),
  reason: nullable(text('Why it is not ready; null when it is.')),
  state: chainState,
  demo: flag(
    'Whether its market is made up: the local chain, on which bots trade tokens of no value.',
  ),
  head_block: nullable(count('Newest block applied; null before the first.')),
  head_time: nullable(timeS('Time of that block; null before the first.')),
  head_age_s: {
    ...nullable(
      integer(
        'Age of that block, null before the first; negative: its time is ahead of the clock.',
      ),
    ),
    unit: 'seconds',
  },
  finalized_block: nullable(
    integer('Newest final block, null before the first block; -1: none is final yet.'),
  ),
  tip_block: nullable(count("Newest block the chain's nodes announce; null: not known.")),
  lag_blocks: nullable(
    count('Blocks between the newest applied and the newest announced; null: not known.'),
  ),
  lag_s: nullable(count('Block time between these two; null: not known.', 'seconds')),
  persisted_block: nullable(count('Newest block in the database; null: none.')),
  queue_blocks: count('Blocks applied and not yet in the database.'),
  queue_blocks_max: count('How many may wait before ingestion pauses.'),
  paused_reason: nullable(text('Why ingestion is paused; null: it is not.')),
  database_error: nullable(text('What the database failed with; null: it answers.')),
  rpc_error: nullable(
    text(
      'What the nodes failed with: the kind of the error and the place of the endpoint in `rpc`, from 0, as `endpoint 1: timeout`; null: one answers. `GET /admin/nodes` has what they said.',
    ),
  ),
  failed_check: nullable(
    text(
      'A check of `node_checks` that no endpoint passes: since which block, which setting turns it off, and whether blocks are read without it. A chain upgrade is the usual cause. null: none.',
    ),
  ),
  unresolved_pools: count(
    'Contracts of which no node says whether they are pools, and pools of which trades were left out.',
  ),
  start_block: either(
    [count('A block.'), constant('latest', 'The newest block at the first start.')],
    'Where history shall begin, as configured.',
  ),
  first_block: nullable(
    count('First block that is stored; null: there is none, or nobody noted it.'),
  ),
  history_complete: flag(
    'Every swap from `start_block` (`latest`: from `first_block`) up to the newest block is here.',
  ),
  history_missing: list(object(historyGap), 'What is missing of that; empty when it is complete.'),
  history_reading: nullable(object(historyReading)),
  audit: nullable(object(auditStatus)),
  doubtful_blocks: count('Stored blocks whose logs seem wrong and that nothing could prove.'),
  newest_doubtful_block: nullable(count('The newest of them; null: there is none.')),
} as const

export const chainHealth = part('How a chain is doing.', health)
export type ChainHealth = TypeOf<typeof chainHealth>
export type ChainState = ChainHealth['state']

export const ready = row('Ready', 'Whether the service can be asked.', {
  ready: flag('Of all chains: each was ready once. Of one: it is ready now.'),
  reasons: list(text('A sentence.'), 'Why it is not ready; empty when it is.'),
  warnings: list(
    text('A sentence.'),
    'Troubles that do not stop the service: a chain that lags, an old head, a database that lags or is down.',
  ),
  chains: map(object(chainHealth), 'How each chain is doing, by its name.'),
})
/** Answer of GET /health/ready: 200 when `ready`, else 503. */
export type ReadyBody = TypeOf<typeof ready>

export const unclaimedProgram = part(
  'A program whose calls look like swaps and that no venue reads.',
  {
    program: text('The program.'),
    calls: count('Such calls.'),
    share: number(
      'fraction',
      'Of all calls that look like swaps, those that venues read included.',
    ),
  },
)

export const chainStatus = part('State of one chain.', {
  chain,
  ...health,
  unclaimed_logs: list(
    object(
      part('Logs with one first topic.', {
        address: text('Factory, manager or launch platform of the config.'),
        topic: text('First topic of the logs.'),
        logs: count('How many such logs were read.'),
      }),
    ),
    'Events of configured contracts that no venue reads, most first, at most 20, since the service started: a new event of a factory shows here. Of EVM chains, in blocks that were read whole.',
  ),
  head_hash: nullable(text('Hash of the newest block applied; null before the first.')),
  pairs: count('Pairs that are known.'),
  tokens: count('Tokens that are known.'),
  unclaimed: list(
    object(unclaimedProgram),
    'Programs that trade and that no venue reads, most calls first, at most 20: what is missing of the market. Counted on Solana, in one of 16 blocks since the start.',
  ),
  history_from: nullable(timeS('Oldest swap that is kept; null: there is none, or not known.')),
  history_known: flag('Whether the database could be asked for it.'),
})
export type ChainStatus = TypeOf<typeof chainStatus>

export const status = row('Status', 'State of every chain.', {
  time: timeS('Clock of the service.'),
  chains: list(object(chainStatus), 'The chains that are served here.'),
})
export type Status = TypeOf<typeof status>
