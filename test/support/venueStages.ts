import { pino } from 'pino'
import type {
  MulticallCall,
  MulticallResult,
} from '../../packages/server/src/chain/evm/calls/multicall.ts'
import type { EvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { decodeEvmBlock } from '../../packages/server/src/decode/evm/decodeEvmBlock.ts'
import { createEngine } from '../../packages/server/src/engine/engine.ts'
import { managersOf } from '../../packages/server/src/kinds/evm/evmIntake.ts'
import { createLedger, type LedgerResult } from '../../packages/server/src/ledger/ledger.ts'
import { decodeUndo, encodeUndo } from '../../packages/server/src/ledger/undo.ts'
import { decodeEntry, encodeEntry } from '../../packages/server/src/log/entryCodec.ts'
import type { ChainProfile } from '../../packages/server/src/model/chainProfile.ts'
import type { EvmLog } from '../../packages/server/src/model/evm/evmBlock.ts'
import { createEvmReader } from '../../packages/server/src/resolve/evm/evmReader.ts'
import { Resolver } from '../../packages/server/src/resolve/resolver.ts'
import type { VenueSet } from '../../packages/server/src/venues/evm/venueSet.ts'
import { type MemoryRows, recordsOf, revertRows, writeRows } from './memoryPipeline.ts'

/** Answers of contracts to call data at a block; undefined means the call fails. */
export type Contracts = (call: MulticallCall, number: number) => string | undefined

export type VenueStagesOptions = {
  profile: ChainProfile
  venues: VenueSet
  contracts: Contracts
}

const logger = pino({ level: 'silent' })

/**
 * Processes blocks through decode, resolve, ledger, log codec and engine, with mocked contract
 * answers.
 */
export function openVenueStages({ profile, venues, contracts }: VenueStagesOptions) {
  const rows: MemoryRows = {
    tokens: new Map(),
    pairs: new Map(),
    balances: new Map(),
    supplies: new Map(),
  }
  const results: LedgerResult[] = []
  const asked: MulticallCall[] = []
  const reader = createEvmReader({
    profile,
    venues,
    multicallAddress: '0xmulticall',
    rpc: {
      request: async () => '0x60',
      requestBatch: async () => [{ ok: true, value: [], endpoint: 'node' }],
    } as unknown as EvmRpc,
    multicall: {
      async call(calls, block) {
        const number = typeof block === 'object' && block.number !== undefined ? block.number : 0
        return calls.map((call): MulticallResult => {
          asked.push(call)
          const data = contracts(call, number)
          return data === undefined ? { ok: false } : { ok: true, data }
        })
      },
    },
  })
  const managers = managersOf(profile, venues)
  const engine = createEngine({ profile })
  const open = () => ({
    resolver: new Resolver({
      profile,
      reader,
      records: recordsOf(rows),
      logger,
      nextTokenId: rows.tokens.size,
      nextPairId: rows.pairs.size,
      limits: { budgetMs: 60_000 },
    }),
    ledger: createLedger({
      profile,
      logger,
      math: venues.find,
      balances: {
        loadBalances: async (keys) =>
          keys.map(({ tokenId, wallet }) => rows.balances.get(`${tokenId} ${wallet}`) ?? 0n),
        loadSupplies: async (ids) => ids.flatMap((id) => rows.supplies.get(id) ?? []),
      },
    }),
  })
  let stages = open()
  const refOf = (number: number) => {
    const parent = { parentNumber: number - 1, parentHash: `${number - 1}` }
    return { number, hash: `${number}`, ...parent, timeS: 1_000 + number }
  }

  return {
    engine,
    rows,
    asked,
    async apply(number: number, logs: readonly EvmLog[]) {
      const block = { ref: refOf(number), logs, senders: new Map() }
      const decoded = decodeEvmBlock(block, { venues, managers })
      const resolved = await stages.resolver.resolve(decoded, { receivedMs: 0, isLive: true })
      const result = await stages.ledger.apply(resolved)
      const bytes = encodeEntry({ type: 'commit', block: result.block })
      engine.apply(decodeEntry(bytes))
      results.push(result)
      writeRows(rows, result)
      stages.resolver.onPersisted(number)
      stages.ledger.persisted(number)
      return result.block
    },
    /** Reverts the newest block from its encoded undo record, as another process would. */
    revert(): void {
      const result = results.pop()!
      const { ref } = result.block
      stages.ledger.revert(ref, decodeUndo(encodeUndo(result.undo)))
      stages.resolver.revert(ref, result.block)
      engine.apply({ type: 'revert', ref })
      revertRows(rows, result)
    },
    /** Forgets everything except the rows of a store. */
    restart(): void {
      stages.resolver.close()
      stages = open()
    },
    close: () => stages.resolver.close(),
  }
}
