// Events of configured contracts that no venue reads: a factory's new version is noticed before its
// trades are missed.
import { resolve } from 'node:path'
import { type Address, encodeFunctionData, toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../packages/server/src/config/load.ts'
import { openEvmIntake } from '../../packages/server/src/kinds/evm/evmIntake.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { checkEvmUrl } from '../../packages/server/src/ops/doctor/evm/checkEvmUrl.ts'
import type { CheckUrlOptions } from '../../packages/server/src/ops/doctor/finding.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import { type DevNode, startDevNode } from '../support/devNode.ts'
import { deployArtifact, transact } from '../support/simulate.ts'

const contracts = compileSolidity(resolve(import.meta.dirname, '../support/NativeToken.sol'))
const topic = toEventSelector('B20Created(address,uint8,string,string,uint8,bytes)')

let node: DevNode
let factory: Address
let firstNumber: number

/** Makes the factory emit an event that no venue reads. */
async function emit(): Promise<void> {
  const token = await deployArtifact(node, contracts.get('NativeToken')!, [])
  const { abi } = contracts.get('NativeFactory')!
  const args = [token, node.wallets.deployer, 10n ** 24n]
  const data = encodeFunctionData({ abi, functionName: 'create', args })
  await transact(node, { from: node.wallets.deployer, to: factory, data })
}

beforeAll(async () => {
  node = await startDevNode()
  factory = (
    await deployArtifact(node, contracts.get('NativeFactory')!, [])
  ).toLowerCase() as Address
  firstNumber = (await node.readHead()).number + 1
  await emit()
  await emit()
})

afterAll(() => node.stop())

test('default: followed blocks report them without another request', async () => {
  const stop = new AbortController()
  const venue = { address: factory, venue: 'uniswapV2', amm: 'uniswapv2' }
  const intake = await openEvmIntake({
    setup: {
      kind: 'evm',
      profile: { ...node.profile, venues: [venue] },
      storeName: 'local',
      startBlock: firstNumber,
      pollMs: 5,
      chainId: undefined,
      blocks: {},
      finality: { type: 'depth', blocks: 3 },
      multicall3: `0x${'00'.repeat(20)}`,
      endpoints: [{ httpUrl: node.rpcUrl }],
      limits: {
        logRangeBlocksMax: 40,
        backfillRangesMax: 2,
        rpcBatchRequestsMax: 50,
        resolveMsMax: 1_000,
        rpcMsMax: 10_000,
        entriesAheadMax: 10,
        ignoreMs: 600_000,
        creationSearchesMax: 0,
        shareReadsMax: 0,
      },
    },
    known: [],
    firstNumber: null,
    finalizedNumber: -1,
    logger: createLogger('silent'),
    signal: stop.signal,
  })
  const { number } = await node.readHead()
  for await (const event of intake.events()) {
    if (event.type === 'commit') intake.decode(event.block)
    if (event.type === 'commit' && intake.refOf(event.block).number === number) break
  }
  stop.abort()
  intake.close()
  const rows = [{ address: factory, topic, logs: 2 }]
  expect(intake.unclaimedLogs?.()).toEqual({ rows, total: 2 })
})

test('default: doctor lists them for a configured chain', async () => {
  const chainId = Number(await node.request('eth_chainId', []))
  const chain = {
    kind: 'evm',
    chain_id: chainId,
    native: { wrapped_token: node.profile.native.wrappedToken },
    stables: [],
    quotes: [],
    factories: [{ address: factory, venue: 'uniswapV2', amm: 'uniswapv2' }],
  }
  const chains = { mine: chain } as unknown as CheckUrlOptions['config']['chains']
  const { sample, chain: name } = await checkEvmUrl({
    config: { ...loadConfig({ env: {} }).config, chains },
    logger: createLogger('silent'),
    nowMs: Date.now,
    url: new URL(node.rpcUrl),
    blocks: 4,
  })
  expect(name).toBe('mine')
  expect(sample?.unclaimed.topics).toEqual([{ address: factory, topic, logs: 2 }])
})
