// `chaintape audit` on stored data that is right, changed by hand, read from a lying node, and
// repaired.
import { toEventSelector } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startPrivatePostgres } from '../../packages/server/src/store/postgres/privatePostgres.ts'
import { noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { silentLogger, type TestConnection, withClient } from '../support/postgres.ts'
import { runProgram, writeChainConfig } from '../support/program.ts'
import type { RpcCall } from '../support/rpcProxy.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { expectSameMarket, privateConnectionOf, readStored } from '../support/storedMarket.ts'
import { until } from '../support/until.ts'

let market: IndexedNode
let service: Service | undefined

beforeEach(async () => {
  market = await startIndexedNode({ seed: 'audit', blocks: 40 })
})

afterEach(async () => {
  await service?.kill()
  await market.stop()
})

type Difference = { kind: string; block: number | null; msg: string }

type Audited = {
  from_block: number
  to_block: number
  blocks: number
  balances: number
  difference_count: number
  differences: Difference[]
  not_checked: string[]
  repair: string | null
}

async function audit(config: string, ...args: string[]) {
  const program = runProgram(['audit', '--config', config, '--json', ...args])
  const code = await program.ended
  const err = program.stderr()
  if (program.stdout() === '') return { code, err, found: null }
  const { chains } = JSON.parse(program.stdout()) as { chains: Record<string, Audited> }
  return { code, err, found: Object.values(chains)[0]! }
}

async function backfill(config: string): Promise<void> {
  const program = runProgram(['backfill', '--config', config])
  expect(await program.ended, program.stderr()).toBe(0)
}

/** Runs `work` on the database of a stopped program. */
async function withStopped<result>(
  dataDir: string,
  work: (connection: TestConnection) => Promise<result>,
): Promise<result> {
  const server = await startPrivatePostgres({ dataDir, logger: silentLogger })
  try {
    return await work(server.connection as TestConnection)
  } finally {
    await server.stop()
  }
}

/**
 * Deletes a swap, changes another one and the hash of a third block. Returns the numbers of their
 * blocks.
 */
async function spoil(connection: TestConnection): Promise<number[]> {
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ block: number; idx: number }>(
      `SELECT block, min(idx) AS idx FROM swaps WHERE block <= (SELECT finalized FROM cursors)
       GROUP BY block ORDER BY block DESC LIMIT 3`,
    )
    const [missing, changed, other] = rows as [(typeof rows)[0], (typeof rows)[0], (typeof rows)[0]]
    const place = ({ block, idx }: { block: number; idx: number }) => [block, idx]
    await client.query('DELETE FROM swaps WHERE block = $1 AND idx = $2', place(missing))
    await client.query(
      'UPDATE swaps SET amount0 = amount0 + 1 WHERE block = $1 AND idx = $2',
      place(changed),
    )
    const hash = `0x${'12'.repeat(32)}`
    await client.query(`UPDATE log SET hash = $2 WHERE number = $1 AND type = 'commit'`, [
      other.block,
      hash,
    ])
    return rows.map(({ block }) => Number(block))
  })
}

test('default: correct blocks are not listed; missing, changed or replaced ones are named and read again', async () => {
  const { dataDir, config } = await market.createConfig()
  await backfill(config)
  const right = await audit(config)
  const { number: head } = await market.node.readHead()
  expect(right, right.err).toMatchObject({
    code: 0,
    found: { from_block: 0, to_block: head, difference_count: 0, differences: [], not_checked: [] },
  })
  expect(right.found!.blocks).toBe(head + 1)
  expect(right.found!.balances).toBeGreaterThan(10)

  const [missing, changed, other] = await withStopped(dataDir, spoil)
  const wrong = await audit(config)
  expect(wrong.code).toBe(1)
  expect(wrong.err).toContain('AUDIT_DIFFERENCES')
  const places = wrong.found!.differences.map(({ kind, block }) => [block, kind])
  expect(places).toEqual([
    [other, 'hash'],
    [changed, 'changed'],
    [missing, 'missing'],
  ])
  for (const { msg, block } of wrong.found!.differences) expect(msg).toContain(`Block ${block}: `)
  const part = await audit(config, '--from', String(changed! + 1))
  expect(part.found!.differences.map(({ kind }) => kind)).toEqual(['missing'])
  expect((await audit(config, '--to', String(other! - 1))).code).toBe(0)

  const repaired = await audit(config, '--repair')
  expect(repaired, repaired.err).toMatchObject({
    code: 0,
    found: { difference_count: 0, repair: 'done' },
  })
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})

const swapTopic = toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)')

/**
 * A node that omits one swap from each block that has two, for queries by block range. Newest
 * blocks are queried by hash and stay complete.
 */
function withholding(numberMax: number) {
  return ({ method, params }: RpcCall, result: unknown): unknown => {
    const filter = params[0] as { blockHash?: string } | undefined
    if (method !== 'eth_getLogs' || filter?.blockHash !== undefined) return result
    const seen = new Set<string>()
    return (result as { blockNumber: string; topics: string[] }[]).filter((log) => {
      if (log.topics[0] !== swapTopic || Number(log.blockNumber) > numberMax) return true
      const isSecond = seen.has(log.blockNumber)
      seen.add(log.blockNumber)
      return !isSecond
    })
  }
}

test('behavior: data withheld by a node is found later, also by the running service, which reads it again', async () => {
  const { dataDir, config } = await market.createConfig()
  const { number: head } = await market.node.readHead()
  const alter = withholding(head - 10)
  const target = { targetUrl: market.node.rpcUrl, seed: 'audit', rates: noChaos, alter }
  const liar = await startChaosRpc(target)
  await writeChainConfig(
    dataDir,
    { ...market.node, rpcUrl: liar.url },
    { chain: { log_sample_blocks: 0 } },
  )
  await backfill(config)
  await liar.close()
  await writeChainConfig(dataDir, market.node, { limits: { audit_every_ms: 100 } })
  service = await startService(dataDir, config)
  await untilStored(dataDir, market.node)
  await until('the service has found it', async () => {
    const { audit: sampled } = await service!.chainHealth()
    return sampled !== null && sampled.differences > 0 && sampled.checked_blocks > 0
  })
  expect((await service.health()).warnings.join('\n')).toContain('chaintape audit --repair')
  const found = await audit(config, '--repair')
  expect(found).toMatchObject({ code: 1, found: { repair: 'service' } })
  expect(found.found!.differences.map(({ kind }) => kind)).toContain('missing')
  const connection = await privateConnectionOf(dataDir)
  await until('the chain was read again', async () => {
    // The audit's marks become visible with a new block.
    await market.mine(1)
    return await withClient(connection, async (client) => {
      const { rowCount } = await client.query(`SELECT FROM chains WHERE name LIKE '%+replaced%'`)
      return rowCount! > 0
    })
  })
  await untilStored(dataDir, market.node)
  expect(await service.stop()).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
  expect(await audit(config)).toMatchObject({ code: 0, found: { difference_count: 0 } })
})

test('behavior: a killed repair continues with the next one', async () => {
  const { dataDir, config } = await market.createConfig()
  await backfill(config)
  await withStopped(dataDir, spoil)
  const killed = runProgram(['audit', '--config', config, '--json', '--repair'])
  const connection = await privateConnectionOf(dataDir)
  await until('it reads the chain again', async () => {
    return await withClient(connection, async (client) => {
      const { rowCount } = await client.query(`SELECT FROM chains WHERE name LIKE '%+history'`)
      return rowCount! > 0
    }).catch(() => false)
  })
  killed.child.kill('SIGKILL')
  await killed.ended
  const repaired = await audit(config, '--repair')
  expect(repaired.code, repaired.err).toBe(0)
  expectSameMarket(await readStored(dataDir, market.node.profile), await market.backfillFresh())
})

test('error: blocks that cannot be compared are reported', async () => {
  const { dataDir, config } = await market.createConfig()
  const refused = async (code: string, ...args: string[]) => {
    const { code: exit, err } = await audit(config, ...args)
    expect([1, 2]).toContain(exit)
    expect(err).toContain(code)
  }
  await refused('NOTHING_STORED')
  await backfill(config)
  await refused('NO_CHAINS', '--chain', 'nowhere')
  await refused('It must be a block number', '--from', 'x')
  await refused('AUDIT_RANGE', '--from', '9', '--to', '8')
  await refused('AUDIT_RANGE', '--from', '1000000')
  await refused("unknown option '--fix'", '--fix')
  await writeChainConfig(dataDir, market.node, { chain: { chain_id: 5 } })
  await refused('NODE_WRONG_NETWORK')
})
