import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import hardhat from 'hardhat/internal/hardhat-network/provider/provider.js'
import { expect, onTestFinished, test } from 'vitest'
import { createCheckpoints } from '../../packages/devnet/src/checkpoints.ts'
import { createMarket } from '../../packages/devnet/src/market/market.ts'
import { createMiner } from '../../packages/devnet/src/miner.ts'
import { createCollectGarbage } from '../../packages/devnet/src/node/collectGarbage.ts'
import { createProvider, type Notification } from '../../packages/devnet/src/node/provider.ts'
import { listCheckpoints } from '../../packages/devnet/src/node/state/checkpoint.ts'
import { makeCheckpoint } from '../../packages/devnet/src/node/state/makeCheckpoint.ts'
import { openChain } from '../../packages/devnet/src/openChain.ts'
import { chainId } from '../../packages/devnet/src/profile.ts'
import { until } from '../support/until.ts'

const genesisS = 1_750_000_000
const collectGarbage = () => {}

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'checkpoint-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

/** A chain of a data directory that mines when it is told to. */
async function open(dataDir: string) {
  const messages: string[] = []
  let replayedBlocks = 0
  const chain = await openChain({
    dataDir,
    genesisS,
    collectGarbage,
    seed: 'test',
    isMarket: true,
    blocksMax: 10_000,
    nowS: () => genesisS,
    onLog: (message) => messages.push(message),
    onReplay: (_, totalBlocks) => {
      replayedBlocks = totalBlocks
    },
  })
  const { lane } = chain
  const market = createMarket({ ...chain, request: lane.request })
  const miner = createMiner({ lane, market, onLog: (message) => messages.push(message) })
  return {
    ...chain,
    messages,
    replayedBlocks,
    request: lane.request,
    async mine(blocks: number) {
      for (let block = 0; block < blocks; block += 1) await miner.mineMarket()
    },
  }
}

type Chain = Awaited<ReturnType<typeof open>>

// The bots look 30 blocks back.
const keptBlocks = 32

// As if memory were no matter and saving kept up.
const limits = { quietBlocks: 0, lateBlocks: 1_000, largeEveryBlocks: 8, largeBytes: 2 ** 40 }

const save = (dataDir: string, base?: number) =>
  makeCheckpoint({
    chainId,
    collectGarbage,
    base,
    keptBlocks,
    dir: join(dataDir, 'devnet'),
  })

const tagOf = (number: number) => `0x${number.toString(16)}`

/** All that an indexer asks of blocks. */
async function readAll({ request }: Chain) {
  type Block = { hash: string; transactions: { hash: string }[] }
  const answers: unknown[] = []
  const last = Number(await request('eth_blockNumber'))
  for (let number = 0; number <= last; number += 1) {
    const block = (await request('eth_getBlockByNumber', [tagOf(number), true])) as Block
    answers.push(block, await request('eth_getBlockByHash', [block.hash, false]))
    answers.push(await request('eth_getLogs', [{ blockHash: block.hash }]))
    for (const { hash } of block.transactions)
      for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
        answers.push(await request(method, [hash]))
  }
  const all = { fromBlock: '0x0', toBlock: 'latest' }
  const [{ address, topics }] = (await request('eth_getLogs', [all])) as [
    { address: string; topics: string[] },
  ]
  for (const filter of [{}, { address }, { topics: [null, [topics[1]]] }, { topics: [[]] }])
    answers.push(await request('eth_getLogs', [{ ...all, ...filter }]))
  answers.push(await request('eth_getBlockByNumber', ['latest', false]))
  return answers
}

test('behavior: an EVM that nobody uses any more is freed', async () => {
  const collect = createCollectGarbage()
  const made: WeakRef<object>[] = []
  const create = hardhat.createHardhatNetworkProvider
  onTestFinished(() => void Object.assign(hardhat, { createHardhatNetworkProvider: create }))
  // Not a spy, which would hold what was returned.
  const createSeen: typeof create = async (...given) => {
    const provider = await create(...given)
    made.push(new WeakRef(provider))
    return provider
  }
  Object.assign(hardhat, { createHardhatNetworkProvider: createSeen })
  const use = async () => {
    const { request } = await createProvider({ chainId, genesisS, privateKeys: [] })
    await request('hardhat_mine', ['0x5'])
  }
  await use()
  await use()
  expect(made).toHaveLength(2)
  await until('both are gone', async () => {
    collect()
    return made.every((provider) => provider.deref() === undefined)
  })
})

test('behavior: a chain goes on from its state as it would from its journal', async () => {
  const dataDir = newDir()
  const first = await open(dataDir)
  const rich = '0x00000000000000000000000000000000000000aa'
  await first.request('hardhat_setBalance', [rich, '0x77'])
  await first.request('hardhat_setStorageAt', [rich, '0x5', `0x${'00'.repeat(31)}09`])
  const kept = await first.request('evm_snapshot')
  await first.mine(keptBlocks + 4)
  const saved = await save(dataDir)
  const { number: head } = await headOf(first)
  expect(saved).toBe(head - keptBlocks)
  const early = await first.request('evm_snapshot')
  await first.mine(4)
  await first.request('evm_revert', [early])
  await first.mine(3)
  const before = await readAll(first)
  first.journal!.close()

  const journalAlone = newDir()
  cpSync(join(dataDir, 'devnet', 'journal'), join(journalAlone, 'devnet', 'journal'))
  const resumed = await open(dataDir)
  const replayed = await open(journalAlone)
  expect(resumed.replayedBlocks).toBe(keptBlocks + 7)
  expect(replayed.replayedBlocks).toBeGreaterThan(head)
  expect(await readAll(resumed)).toEqual(before)
  expect(await readAll(replayed)).toEqual(before)

  // Either mines the same blocks from here on, and the next checkpoint is made from the first.
  for (const chain of [resumed, replayed]) await chain.mine(8)
  const after = await readAll(replayed)
  expect(await readAll(resumed)).toEqual(after)
  expect(await save(dataDir, saved)).toBeGreaterThan(saved!)
  resumed.journal!.close()
  const again = await open(dataDir)
  expect(again.replayedBlocks).toBe(keptBlocks)
  expect(await readAll(again)).toEqual(after)
  expect(await again.request('eth_getBalance', [rich, 'latest'])).toBe('0x77')
  expect(BigInt((await again.request('eth_getStorageAt', [rich, '0x5', 'latest'])) as string)).toBe(
    9n,
  )

  await expect(again.request('eth_getBalance', [rich, tagOf(saved! - 1)])).rejects.toThrow(
    `missing trie node: the state of block ${saved! - 1} is pruned`,
  )
  // Not a word of it in the journal: a replay from genesis would go back.
  const journal = readFileSync(join(dataDir, 'devnet', 'journal'), 'utf8')
  expect(await again.request('evm_revert', [kept])).toBe(false)
  expect(readFileSync(join(dataDir, 'devnet', 'journal'), 'utf8')).toBe(journal)
  again.journal!.close()
  replayed.journal!.close()
  expect([...first.messages, ...resumed.messages, ...again.messages]).toEqual([])
})

async function headOf({ request }: Chain): Promise<{ number: number; hash: string }> {
  const head = await request('eth_getBlockByNumber', ['latest', false])
  const { number, hash } = head as { number: string; hash: string }
  return { number: Number(number), hash }
}

test('behavior: an EVM takes over from one that has grown, and nobody notices', async () => {
  const dataDir = newDir()
  const chain = await open(dataDir)
  const { request, provider, lane, archive, journal, wallets, messages } = chain
  const dir = join(dataDir, 'devnet')
  const checkpoints = createCheckpoints({
    chainId,
    archive: archive!,
    base: undefined,
    lane,
    provider,
    collectGarbage,
    journalPath: journal!.path,
    privateKeys: wallets.privateKeys,
    limits: { ...limits, keptBlocks, everyBlocks: 8 },
    make: ({ base }) => save(dataDir, base),
    onLog: (message) => messages.push(message),
  })
  const heads: string[] = []
  provider.addListener('notification', ({ subscription, result }: Notification) => {
    if (subscription === subscribed) heads.push((result as { hash: string }).hash)
  })
  const subscribed = await request('eth_subscribe', ['newHeads'])
  const filter = await request('eth_newBlockFilter')
  const mined: string[] = []
  await chain.mine(keptBlocks)
  await request('eth_getFilterChanges', [filter])
  heads.length = 0
  for (let round = 0; round < 3; round += 1) {
    for (let block = 0; block < 12; block += 1) {
      await chain.mine(1)
      mined.push((await headOf(chain)).hash)
    }
    const [before = 0] = listCheckpoints(dir)
    const done = checkpoints.mined((await headOf(chain)).number)
    // The chain does not stand still meanwhile.
    await chain.mine(1)
    mined.push((await headOf(chain)).hash)
    await done
    expect(listCheckpoints(dir)).toEqual([expect.any(Number)])
    expect(listCheckpoints(dir)[0]).toBeGreaterThan(before)
  }
  await checkpoints.stop()
  expect(archive!.lastNumber()).toBe(listCheckpoints(dir)[0])
  await until('all heads are told', () => heads.length === mined.length)
  expect(heads).toEqual(mined)
  expect(await request('eth_getFilterChanges', [filter])).toEqual(mined)
  expect(await request('eth_uninstallFilter', [filter])).toBe(true)

  const snapshot = await request('evm_snapshot')
  const head = await headOf(chain)
  await chain.mine(3)
  expect(await request('evm_revert', [snapshot])).toBe(true)
  expect(await headOf(chain)).toEqual(head)
  const all = await readAll(chain)
  journal!.close()
  const next = await open(dataDir)
  expect(await readAll(next)).toEqual(all)
  next.journal!.close()
  expect([...messages, ...next.messages]).toEqual([])
})

test('error: a checkpoint that is damaged or of another chain is passed over', async () => {
  const dataDir = newDir()
  const first = await open(dataDir)
  await first.mine(keptBlocks + 6)
  const saved = await save(dataDir)
  const all = await readAll(first)
  first.journal!.close()
  const dir = join(dataDir, 'devnet')
  const foreign = newDir()
  cpSync(dir, join(foreign, 'devnet'), { recursive: true })
  const path = join(dir, `state-${saved}`)
  writeFileSync(path, readFileSync(path).subarray(0, 1000))
  const again = await open(dataDir)
  expect(again.replayedBlocks).toBeGreaterThan(saved!)
  expect(await readAll(again)).toEqual(all)
  again.journal!.close()
  expect(listCheckpoints(dir)).toEqual([])

  // As after restoring the journal of a backup.
  const journal = join(foreign, 'devnet', 'journal')
  const lines = readFileSync(journal, 'latin1').split('\n')
  const blocks = lines.flatMap((line, index) => (line.startsWith('h,') ? [index] : []))
  const shorter = lines.slice(0, blocks.at(-keptBlocks - 3)! + 1)
  writeFileSync(journal, `${shorter.join('\n')}\n`)
  const restored = await open(foreign)
  expect(restored.isReplayed).toBe(true)
  expect(restored.base === undefined).toBe(true)
  restored.journal!.close()
})
