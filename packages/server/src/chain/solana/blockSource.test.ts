// The source against a simulated Solana node over HTTP: order, skipped slots, branches, and error
// answers.
import { afterEach, expect, test } from 'vitest'
import {
  type GeneratedBlock,
  GeneratedChain,
} from '../../../../devnet/src/solana/generatedChain.ts'
import type { WrittenTransaction } from '../../../../devnet/src/solana/rpcShapes.ts'
import {
  type SolanaRpcServer,
  startSolanaRpc,
} from '../../../../devnet/src/solana/solanaRpcServer.ts'
import { createLogger } from '../../lib/logger.ts'
import type { BlockRef } from '../../model/block.ts'
import type { Finality } from '../../model/trust/finality.ts'
import { createSolanaBlockSource, type SolanaBlockSource } from './blockSource.ts'
import { findSlotAt, findSlotFrom } from './findSlotAt.ts'
import { createSolanaRpc } from './solanaRpc.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function serve(chain: GeneratedChain): Promise<SolanaRpcServer> {
  const server = await startSolanaRpc(() => chain)
  stops.push(server.stop)
  return server
}

type OpenOptions = {
  known?: readonly BlockRef[]
  finality?: Finality
  reorgDepthMax?: number
  startSlot?: number
  pollMs?: number
  wsUrl?: string
}

function open(servers: readonly SolanaRpcServer[], options: OpenOptions = {}) {
  const ending = new AbortController()
  const logger = createLogger('silent')
  const rpc = createSolanaRpc({
    endpoints: servers.map(({ url }) => ({ httpUrl: url, wsUrl: options.wsUrl })),
    timeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    batchSizeMax: 10,
    retryDelayMs: 5,
    logger,
  })
  const source = createSolanaBlockSource({
    chain: 'solana',
    rpc,
    startSlot: options.startSlot ?? 1_000,
    known: options.known ?? [],
    finalizedNumber: -1,
    reorgDepthMax: options.reorgDepthMax ?? 64,
    finality: options.finality ?? { type: 'depth', blocks: 40 },
    commitment: 'confirmed',
    pollMs: options.pollMs ?? 5,
    parallelBlocks: 4,
    retryMs: 5,
    logger,
    clock: { nowMs: Date.now },
    signal: ending.signal,
  })
  stops.push(() => {
    ending.abort()
    rpc.close()
  })
  return follow(source)
}

/** Applies the source's events: returns the canonical blocks and a log of events. */
function follow(source: SolanaBlockSource) {
  const events = source.events()[Symbol.asyncIterator]()
  const standing: BlockRef[] = []
  const words: string[] = []
  return {
    source,
    standing,
    words,
    /** Waits until this block is the newest. */
    async until({ blockhash }: { blockhash: string }): Promise<void> {
      while (standing.at(-1)?.hash !== blockhash) await this.step()
    },
    async step(): Promise<void> {
      const { value: event } = await events.next()
      if (event.type === 'commit') {
        const { ref } = event.block
        if (standing.length > 0) expect(ref.parentHash).toBe(standing.at(-1)!.hash)
        standing.push(ref)
        words.push(`+${ref.number}`)
      } else if (event.type === 'revert') {
        expect(standing.pop()).toEqual(event.ref)
        words.push(`-${event.ref.number}`)
      } else words.push(`final ${event.ref.number}`)
    },
  }
}

const generate = (blocks: number) => {
  const chain = new GeneratedChain({ seed: 3, startTimeS: 1_790_000_000, transactions: 2 })
  chain.mine(blocks)
  return chain
}

const hashesOf = (chain: GeneratedChain) => chain.blocks.map(({ blockhash }) => blockhash)

test('default: every block once and in order, whatever slots are skipped', async () => {
  const chain = generate(60)
  const server = await serve(chain)
  const reader = open([server])
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
  expect(chain.head.slot - chain.blocks[0]!.slot).toBeGreaterThan(60)
  expect(server.asked.get('getBlock')).toBe(60)
  chain.mine(2)
  await reader.until(chain.head)
  while (!reader.words.at(-1)!.startsWith('final')) await reader.step()
  const finals = reader.words.filter((word) => word.startsWith('final'))
  expect(finals.at(-1)).toBe(`final ${chain.blocks.at(-41)!.slot}`)
  expect(reader.source.progress()).toMatchObject({
    startNumber: 1_000,
    headNumber: chain.head.slot,
    cursorNumber: chain.head.slot,
    isLive: true,
    lastError: null,
    headTimeS: chain.head.blockTime,
  })
})

test('behavior: what nodes call final is final once it is known to be our block', async () => {
  const chain = generate(30)
  const reader = open([await serve(chain)], { finality: { type: 'tag' } })
  await reader.until(chain.head)
  while (!reader.words.at(-1)!.startsWith('final')) await reader.step()
  expect(reader.words.at(-1)).toBe(`final ${chain.blocks.at(-9)!.slot}`)
})

// One second is less than the minimum of five blocks.
test.each([8, 1])('args: finality by age, %s s', async (seconds) => {
  const chain = generate(60)
  const reader = open([await serve(chain)], { finality: { type: 'age', seconds } })
  await reader.until(chain.head)
  while (!reader.words.at(-1)!.startsWith('final')) await reader.step()
  const { head, blocks } = chain
  const newest = blocks
    .slice(0, -5)
    .findLast(({ blockTime }) => head.blockTime - blockTime >= seconds)
  expect(reader.words.at(-1)).toBe(`final ${newest!.slot}`)
})

test('args: finality by a depth of as many blocks as are held in memory', async () => {
  const chain = generate(60)
  const finality: Finality = { type: 'depth', blocks: 20 }
  const reader = open([await serve(chain)], { finality, reorgDepthMax: 20 })
  await reader.until(chain.head)
  while (!reader.words.at(-1)!.startsWith('final')) await reader.step()
  expect(reader.words.at(-1)).toBe(`final ${chain.blocks.at(-21)!.slot}`)
})

test('behavior: blocks that are gone are reverted, newest first, and the other branch follows', async () => {
  const chain = generate(20)
  const left = chain.head
  const server = await serve(chain)
  const reader = open([server])
  chain.mine(5, 'other')
  await reader.until(chain.head)
  const gone = chain.blocks.slice(-5).map(({ slot }) => slot)
  chain.drop(5)
  expect(chain.head).toBe(left)
  chain.mine(7)
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
  const reverts = reader.words.filter((word) => word.startsWith('-'))
  expect(reverts).toEqual(gone.toReversed().map((slot) => `-${slot}`))
})

test('behavior: a node on a branch of its own has nothing reverted while another has our blocks', async () => {
  const [ours, other] = [generate(20), generate(20)]
  ours.mine(3)
  other.mine(3, 'alone')
  const [strange, right] = [await serve(other), await serve(ours)]
  const first = open([right])
  await first.until(ours.head)
  ours.mine(2)
  other.mine(2)
  const reader = open([strange, right], { known: first.standing })
  reader.standing.push(...first.standing)
  await reader.until(ours.head)
  expect(strange.asked.get('getBlock')).toBeGreaterThan(0)
  expect(reader.words.filter((word) => word.startsWith('-'))).toEqual([])
})

test('behavior: a run that starts again reverts what the chain no longer has', async () => {
  const chain = generate(20)
  chain.mine(4, 'other')
  const server = await serve(chain)
  const before = open([server])
  await before.until(chain.head)
  chain.drop(4)
  chain.mine(6)
  const reader = open([server], { known: before.standing })
  reader.standing.push(...before.standing)
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
})

test('error: what is deeper than memory names the block in common; what was final is not touched', async () => {
  const chain = generate(20)
  chain.mine(6, 'other')
  const server = await serve(chain)
  const shallow = open([server], { reorgDepthMax: 3 })
  const final = open([server], { finality: { type: 'depth', blocks: 2 } })
  for (const reader of [shallow, final]) await reader.until(chain.head)
  await final.step()
  chain.drop(6)
  const { slot: number, blockhash: hash } = chain.head
  chain.mine(9)
  await expect(shallow.until(chain.head)).rejects.toMatchObject({
    code: 'REORG_DEEP',
    ancestor: { number, hash },
  })
  await expect(final.until(chain.head)).rejects.toMatchObject({ code: 'REORG_TOO_DEEP' })
})

test.each([
  ['not there yet', -32_004],
  ['behind', -32_005],
  ['its status is not known', -32_014],
  ['the archive does not answer', -32_019],
])('behavior: a block is asked for again when a node says: %s', async (message, code) => {
  const chain = generate(6)
  const server = await serve(chain)
  server.refuse('getBlock', { code, message }, 2)
  const reader = open([server])
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
})

test.each([
  ['no longer here', -32_001],
  ['its transactions were not kept', -32_011],
  ['it has not come to that slot', -32_016],
  ['it does not take that version', -32_015],
])('behavior: another node is asked when one says: %s', async (message, code) => {
  const chain = generate(6)
  const [poor, rich] = [await serve(chain), await serve(chain)]
  poor.refuse('getBlock', { code, message }, 1_000)
  const reader = open([poor, rich])
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
  expect(rich.asked.get('getBlock')).toBe(6)
})

test('behavior: a node that announces its slots is not polled meanwhile', async () => {
  const chain = generate(5)
  const server = await serve(chain)
  // The poll interval is longer than the test, so only announcements cause requests.
  const reader = open([server], { wsUrl: server.wsUrl, pollMs: 3_600_000 })
  await reader.until(chain.head)
  for (let blocks = 0; blocks < 5; blocks++) {
    chain.mine(1)
    const delivered = reader.until(chain.head)
    const announcing = setInterval(server.announce, 20)
    await delivered
    clearInterval(announcing)
  }
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
})

test('behavior: where nobody announces slots, they are asked for', async () => {
  const chain = generate(5)
  const server = await serve(chain)
  const gone = await startSolanaRpc(() => chain)
  await gone.stop()
  const reader = open([server], { wsUrl: gone.wsUrl })
  await reader.until(chain.head)
  chain.mine(2)
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
})

test('behavior: another node has what one says it lacks', async () => {
  const chain = generate(8)
  const [poor, rich] = [await serve(chain), await serve(chain)]
  const missing = { code: -32_007, message: 'Slot was skipped, or missing due to ledger jump' }
  poor.refuse('getBlock', missing, 1_000)
  const reader = open([poor, rich])
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
  expect(rich.asked.get('getBlock')).toBe(8)
})

/** The same chain on a node that stores transactions in another encoding. */
function inForm(chain: GeneratedChain, form: (transaction: WrittenTransaction) => unknown) {
  const written = (block: GeneratedBlock) => ({
    ...block,
    transactions: block.transactions.map(form),
  })
  return new Proxy(chain, {
    get: (target, name) =>
      name === 'blocks' ? target.blocks.map(written) : Reflect.get(target, name, target),
  })
}

test.each<[string, (transaction: WrittenTransaction) => unknown]>([
  ['signatures alone', ({ transaction }) => transaction.signatures[0]],
  [
    'accounts alone',
    ({ meta, transaction: { signatures, message } }) => ({
      meta,
      transaction: { signatures, accountKeys: message.accountKeys.map((pubkey) => ({ pubkey })) },
    }),
  ],
  [
    'keys with words',
    ({ meta, transaction: { signatures, message } }) => {
      const accountKeys = message.accountKeys.map((pubkey) => ({ pubkey, signer: false }))
      return { meta, transaction: { signatures, message: { ...message, accountKeys } } }
    },
  ],
])('behavior: another node is asked when one tells transactions as %s', async (_, form) => {
  const chain = generate(6)
  const [odd, right] = [await serve(inForm(chain, form)), await serve(chain)]
  const reader = open([odd, right])
  await reader.until(chain.head)
  expect(reader.standing.map(({ hash }) => hash)).toEqual(hashesOf(chain))
  expect(right.asked.get('getBlock')).toBeGreaterThan(0)
})

test('behavior: the first slot that is not before a time is found across skipped ones', async () => {
  const chain = generate(30)
  const { url } = await serve(chain)
  const quiet = { timeoutMs: 20_000, hedgeAfterMs: 20_000, batchSizeMax: 1 }
  const logger = createLogger('silent')
  const rpc = createSolanaRpc({ endpoints: [{ httpUrl: url }], ...quiet, logger })
  stops.push(() => rpc.close())
  const context = { chain: 'solana', rpc, commitment: 'confirmed', nowMs: Date.now } as const
  const { signal } = new AbortController()
  for (const { blockTime } of chain.blocks.filter((_, at) => at % 6 === 0)) {
    const first = chain.blocks.find((block) => block.blockTime >= blockTime)!
    expect(await findSlotAt(context, blockTime, signal)).toBe(first.slot)
  }
  expect(await findSlotAt(context, chain.head.blockTime + 1, signal)).toBe(chain.head.slot + 1)
  // A chain cannot start with a pruned or skipped slot.
  const after = chain.blocks.find(({ slot, parentSlot }) => slot > parentSlot + 1)!
  expect(await findSlotFrom(context, 0, signal)).toBe(chain.blocks[0]!.slot)
  expect(await findSlotFrom(context, after.parentSlot + 1, signal)).toBe(after.slot)
})
