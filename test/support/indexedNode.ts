import { expect } from 'vitest'
import { type DevNode, startDevNode } from './devNode.ts'
import { createDataDir, removeDataDir, withClient } from './postgres.ts'
import { type ChainConfigChanges, runProgram, writeChainConfig } from './program.ts'
import { privateConnectionOf, readStored, type StoredMarket } from './storedMarket.ts'

/** A chain with a market, and programs that index it, each in its own directory. */
export type IndexedNode = {
  node: DevNode
  /** Mines blocks of the market's bots. */
  mine(count: number): Promise<void>
  /** Replaces the newest blocks by others, plus some more. */
  reorg(depth: number): Promise<void>
  createConfig(
    limits?: object,
    chain?: object,
    settings?: object,
  ): Promise<{ dataDir: string; config: string }>
  /** The market of the canonical chain, indexed without reorgs and faults. */
  backfillFresh(): Promise<StoredMarket>
  stop(): Promise<void>
}

export type IndexedNodeOptions = Pick<ChainConfigChanges, 'limits' | 'chain'> & {
  seed: string
  /** Number of blocks mined at the start. */
  blocks: number
}

export async function startIndexedNode(options: IndexedNodeOptions): Promise<IndexedNode> {
  const dataDirs: string[] = []
  const node = await startDevNode({ market: true, seed: options.seed })

  async function mine(count: number): Promise<void> {
    for (let block = 0; block < count; block += 1) await node.mineMarket()
  }

  async function createConfig(limits = {}, chain = {}, settings = {}) {
    const dataDir = await createDataDir()
    dataDirs.push(dataDir)
    const config = await writeChainConfig(dataDir, node, {
      limits: { ...options.limits, ...limits },
      chain: { ...options.chain, ...chain },
      settings,
    })
    return { dataDir, config }
  }

  await mine(options.blocks)
  return {
    node,
    mine,
    async reorg(depth) {
      await node.reorg(depth)
      await mine(depth + 2)
    },
    createConfig,
    async backfillFresh() {
      const { dataDir, config } = await createConfig()
      expect(await runProgram(['backfill', '--config', config]).ended).toBe(0)
      return await readStored(dataDir, node.profile)
    },
    async stop() {
      await node.stop()
      for (const dataDir of dataDirs) await removeDataDir(dataDir)
    },
  }
}

/** Number of rows that a running program has stored. */
export async function countStoredRows(
  dataDir: string,
  table: 'log' | 'snapshots' | 'supplies',
  where = 'true',
): Promise<number> {
  const connection = await privateConnectionOf(dataDir)
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      `SELECT count(*) AS count FROM ${table} WHERE ${where}`,
    )
    return Number(rows[0]!.count)
  })
}

export const countReverts = (dataDir: string) => countStoredRows(dataDir, 'log', `type = 'revert'`)

/** Id of a chain in a running program's store. It changes when the chain's history is replaced. */
export async function readChainId(dataDir: string, name: string): Promise<number> {
  const connection = await privateConnectionOf(dataDir)
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ id: number }>('SELECT id FROM chains WHERE name = $1', [
      name,
    ])
    return rows[0]!.id
  })
}
