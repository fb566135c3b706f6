// A market that changes while it is read: random blocks and reorgs through an engine into a real
// store.

import { evmIds } from '@chaintape/protocol'
import { createEngine, type Engine } from '../../packages/server/src/engine/engine.ts'
import type { GatewayChain } from '../../packages/server/src/gateway/chain/gatewayChain.ts'
import { RecentBlocks } from '../../packages/server/src/gateway/chain/recentBlocks.ts'
import { type BlockRef, blockTimeOf } from '../../packages/server/src/model/block.ts'
import type { LogEntry } from '../../packages/server/src/model/logEntry.ts'
import type { MarketEvent } from '../../packages/server/src/model/marketEvent.ts'
import type { Store } from '../../packages/server/src/store/openStore.ts'
import type { StoredLiquidity, StoredSwap } from '../../packages/server/src/store/read/history.ts'
import { BlockGenerator, generatorProfile } from './blockGenerator.ts'
import { noRiskReports } from './gatewayChain.ts'
import { liveStatus } from './liveStatus.ts'
import { keepAllRetention } from './program.ts'

export type LiveMarket = {
  chain: GatewayChain
  engine: Engine
  commit(): void
  /** Reverts the newest block if it is not final. */
  revert(): void
  /** All swaps of the canonical chain, oldest first. */
  swaps(): StoredSwap[]
  liquidity(): StoredLiquidity[]
  persistedNumber(): number
  flush(): Promise<void>
}

export async function createLiveMarket(store: Store, seed: number): Promise<LiveMarket> {
  const chainId = await store.ensureChain(`live${seed}`)
  let persistedNumber = -1
  const { reorgDepthMax } = generatorProfile
  const recent = new RecentBlocks({ seq: 0, number: -1, reorgDepthMax })
  const writer = await store.openWriter({
    chainId,
    chain: `live${seed}`,
    retention: keepAllRetention,
    // Small batches, so that the boundary between memory and store moves often.
    limits: { batchBlocksMax: 3 },
    onPersisted({ seq, number }) {
      persistedNumber = number
      recent.persisted(seq)
    },
  })
  const engine = createEngine({ profile: generatorProfile })
  const generator = new BlockGenerator({ seed })
  const blocks: { ref: BlockRef; events: readonly MarketEvent[] }[] = []
  let seq = 0

  function apply(entry: LogEntry, ref: BlockRef, reverted: BlockRef | null): MarketEvent[] {
    const events = engine.apply(entry)
    seq += 1
    recent.applied({ seq, entry, events })
    const head = engine.head()
    const undo = reverted === null ? Buffer.from('undo') : null
    writer.append({
      chainId,
      expectedSeq: seq - 1,
      events,
      balances: [],
      reverted,
      nowS: ref.timeS,
      entries: [{ type: entry.type, ref, bytes: Buffer.from('entry'), undo }],
      headAfter: { number: head?.number ?? -1, hash: head?.hash ?? '' },
    })
    return events
  }

  return {
    engine,
    chain: {
      ids: evmIds,
      profile: generatorProfile,
      storeId: chainId,
      reads: engine,
      recent,
      version: () => seq,
      status: () => liveStatus({ persistedNumber }),
      wallets: { read: async () => new Map(), readHoldings: async () => new Map() },
      risk: noRiskReports,
    },
    commit() {
      const block = generator.next()
      blocks.push({ ref: block.ref, events: apply({ type: 'commit', block }, block.ref, null) })
    },
    revert() {
      // The first blocks contain the tokens that all later blocks use.
      if (blocks.length < 3) return
      const { ref } = blocks.pop()!
      generator.revert()
      apply({ type: 'revert', ref }, ref, ref)
    },
    swaps: () => rowsOf(blocks, 'swap'),
    liquidity: () => rowsOf(blocks, 'liquidity'),
    persistedNumber: () => persistedNumber,
    flush: () => writer.flush(),
  }
}

function rowsOf<type extends 'swap' | 'liquidity'>(
  blocks: readonly { ref: BlockRef; events: readonly MarketEvent[] }[],
  type: type,
) {
  return blocks.flatMap(({ ref, events }) =>
    events
      .filter((event): event is Extract<MarketEvent, { type: type }> => event.type === type)
      .map((event) => ({ blockNumber: ref.number, ...blockTimeOf(ref), event })),
  )
}
