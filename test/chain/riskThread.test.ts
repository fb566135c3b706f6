// Contracts are analyzed in a worker thread: whatever their code does, the serving thread stays
// responsive.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import type { Address } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { localEvmSetup } from '../../packages/server/src/app/demo/devnetSetup.ts'
import { startNodeThread } from '../../packages/server/src/app/threads/startNodeThread.ts'
import { loadConfig } from '../../packages/server/src/config/load.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import {
  type EvmCheckLimits,
  evmCheckLimitsDefault,
} from '../../packages/server/src/risk/evm/evmCheckLimits.ts'
import { createRiskReader } from '../../packages/server/src/risk/riskReader.ts'
import type { RiskSubject } from '../../packages/server/src/risk/riskSubject.ts'
import { openRiskWorld, type RiskWorld } from '../support/riskWorld.ts'
import { deployContract, deployToken } from '../support/simulate.ts'
import { slowContract } from '../support/slowContract.ts'
import { until } from '../support/until.ts'

const logger = createLogger('silent')
const clock = { nowMs: Date.now }
const script = new URL('../../packages/server/dist/app/threads/nodeThread.js', import.meta.url)
// Generous timeout: a busy machine is slow, not broken.
const checkMsMax = 300_000

let world: RiskWorld
let plain: RiskSubject

beforeAll(async () => {
  world = await openRiskWorld()
  plain = await world.openMarket(await deployToken(world.node))
})

afterAll(() => world.close())

/** Starts the compiled program's worker thread on the chain of this test. */
function openThread(parts: Partial<EvmCheckLimits> = {}) {
  const { node } = world
  const { rpcUrl, wsUrl, genesisHash, profile } = node
  const limits = { ...evmCheckLimitsDefault, checkMsMax, ...parts }
  const history = () => ({ minedS: 0, totalS: 0 })
  const devnet = { rpcUrl, wsUrl, genesisHash, profile, history }
  const setup = localEvmSetup(devnet, loadConfig({ env: {} }).config)
  const workers: Worker[] = []
  const nodes = startNodeThread({
    setup,
    riskLimits: limits,
    logger,
    openWorker(data) {
      const worker = new Worker(script, { workerData: data })
      workers.push(worker)
      return worker
    },
  })
  onTestFinished(async () => void (await nodes.close()))
  const reader = createRiskReader({ profile, checker: nodes.checker, limits, clock, logger })
  return { nodes, workers, reader }
}

async function slowSubjects(count: number): Promise<RiskSubject[]> {
  const addresses = Array.from(
    { length: count },
    (_, at) => `0x${(0xbad_0000 + at).toString(16).padStart(40, 'd')}` as Address,
  )
  for (const [at, address] of addresses.entries())
    await world.node.request('hardhat_setCode', [address, slowContract(at)])
  await world.node.mine()
  const { number, hash, timestampS } = await world.node.readHead()
  const block = { number, hash, timeS: timestampS }
  return addresses.map((address) => ({ ...plain, address, pools: [], holders: [], block }))
}

// Longer than the thread needs to start.
const busyMs = 3_000

/**
 * Waits until the thread has worked for `busyMs`: it is then inside code whose analysis takes
 * minutes.
 */
async function untilBusy(workers: readonly Worker[]): Promise<void> {
  await until('the thread walks code', () => {
    const active = workers[0]?.performance.eventLoopUtilization().active ?? 0
    return active > busyMs
  })
}

test('behavior: the worker thread finds the same as the main thread', async () => {
  const { reader, nodes } = openThread()
  const powers = await deployContract(world.node, 'MintableToken', ['Under', 'UND', 18, 10n ** 24n])
  const subjects = [plain, await world.openMarket(powers)]
  for (const subject of subjects)
    expect(await reader.report(subject)).toEqual(await world.reader.report(subject))
  const { deployer } = world.node.wallets
  const wallets = await nodes.readWallets([deployer, powers], new AbortController().signal)
  expect(wallets.get(deployer)).toMatchObject({ isContract: false })
  expect(wallets.get(powers)).toEqual({ nativeRaw: 0n, isContract: true })
  await until('calls are counted', () => (nodes.endpoints()[0]?.outcomes.ok ?? 0) > 10)
})

test('behavior: a hundred slow contracts do not delay the serving thread, and a stop ends their analysis', async () => {
  const { reader, nodes, workers } = openThread({ waitingMax: 100, codeMsMax: checkMsMax })
  const subjects = await slowSubjects(100)
  let settled = 0
  const reports = subjects.map((subject) =>
    reader.report(subject).then(
      () => assertNever(),
      (error: unknown) => {
        settled += 1
        return error
      },
    ),
  )
  await untilBusy(workers)
  const server = createServer((_, response) => response.end('served')).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // If the analysis ran on this thread, each request would wait for a part of it, and the first
  // analysis would end before the last request.
  for (let request = 0; request < 1_000; request += 1)
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('served')
  expect(settled).toBe(0)
  expect(reader.stats()).toMatchObject({ underWay: 100, waiting: 96 })
  await nodes.close()
  for (const error of await Promise.all(reports))
    expect(error).toMatchObject({ code: 'RISK_UNAVAILABLE' })
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1])
})

function assertNever(): never {
  throw new Error('A contract that takes minutes was read.')
}

test('behavior: code that takes too long stays unanalyzed, and other checks are answered meanwhile', async () => {
  const { reader } = openThread({ codeMsMax: 200 })
  const [slow] = await slowSubjects(1)
  const [report, other] = await Promise.all([reader.report(slow!), reader.report(plain)])
  expect(report).toMatchObject({ hasCode: true, isProxy: null, flags: { canMint: null } })
  expect(other.flags).toMatchObject({ canMint: false, canPause: false })
})

test('error: if the thread is killed, its checks fail and the next check starts another thread', async () => {
  const { reader, workers } = openThread({ codeMsMax: checkMsMax })
  const [slow] = await slowSubjects(1)
  const asked = expect(reader.report(slow!)).rejects.toMatchObject({
    code: 'RISK_UNAVAILABLE',
    retryable: true,
    meta: expect.arrayContaining(['Reason: the thread ended']),
  })
  await untilBusy(workers)
  await workers[0]!.terminate()
  await asked
  expect(await reader.report(plain)).toMatchObject({ hasCode: true, isHoneypot: false })
  expect(workers.length).toBe(2)
})

test('error: an abandoned check does not continue in the thread', async () => {
  const { reader, nodes } = openThread({ codeMsMax: checkMsMax })
  const [slow] = await slowSubjects(1)
  const abort = new AbortController()
  const given = nodes.checker.check(slow!, abort.signal)
  const rejected = expect(given).rejects.toMatchObject({ code: 'THREAD_CALL' })
  abort.abort()
  await rejected
  expect(await reader.report(plain)).toMatchObject({ hasCode: true })
})
