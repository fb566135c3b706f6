import type { ChainHealth, ReadyBody } from '@chaintape/protocol'
import type { DevNode } from './devNode.ts'
import {
  type Program,
  type ProgramOptions,
  type ReadyLine,
  startProgram,
  testApiKey,
} from './program.ts'
import { privateConnectionOf, readCursor } from './storedMarket.ts'
import { until } from './until.ts'

// The finality depth of `writeChainConfig`.
const finalityBlocksDefault = 16

/** A program that follows a chain, as its clients see it. */
export type Service = Program & {
  ready: ReadyLine
  get(path: string, key?: string): Promise<Response>
  health(): Promise<ReadyBody>
  /** Health of the only chain. */
  chainHealth(): Promise<ChainHealth>
  /** Stops the service like Ctrl-C; returns its exit code. */
  stop(): Promise<number | NodeJS.Signals>
  /** Kills the service with SIGKILL. */
  kill(): Promise<void>
}

export async function startService(
  dataDir: string,
  configFile: string,
  args: readonly string[] = [],
  options: ProgramOptions = {},
): Promise<Service> {
  const program = await startProgram(dataDir, ['--config', configFile, ...args], options)
  const get = (path: string, key = testApiKey) =>
    fetch(`${program.ready.address}${path}`, { headers: { 'X-API-KEY': key } })
  const health = async () => (await (await get('/health/ready')).json()) as ReadyBody
  return {
    ...program,
    get,
    health,
    chainHealth: async () => Object.values((await health()).chains)[0]!,
    async stop() {
      program.child.kill('SIGINT')
      return await program.ended
    },
    async kill() {
      program.child.kill('SIGKILL')
      await program.ended
    },
  }
}

/** Waits until the node's head is stored and the blocks below it are final. */
export async function untilStored(
  dataDir: string,
  node: DevNode,
  finalityBlocks = finalityBlocksDefault,
): Promise<void> {
  const connection = await privateConnectionOf(dataDir)
  const head = await node.readHead()
  await until(`block ${head.number} is stored`, async () => {
    const cursor = await readCursor(connection)
    return cursor?.hash === head.hash && cursor.finalized === head.number - finalityBlocks
  })
}

/**
 * Waits until /metrics contains these lines: a chain's thread reports its metrics a moment after
 * its last block.
 */
export async function untilMetrics({ get }: Service, ...lines: RegExp[]): Promise<void> {
  await until(`/metrics has ${lines.join(' and ')}`, async () => {
    const metrics = await (await get('/metrics')).text()
    return lines.every((line) => line.test(metrics))
  })
}

/** Waits until no balance is unknown. The next block reports the last ones. */
export async function untilBalancesKnown(service: Service): Promise<void> {
  await untilMetrics(service, /^chaintape_unknown_balances\{.*\} 0$/m)
}
