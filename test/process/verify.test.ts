// `chaintape verify` on what a program has stored of a chain: right, then with one figure changed, then beside another chain.
import { afterEach, expect, test } from 'vitest'
import { startDevNode } from '../support/devNode.ts'
import { type IndexedNode, startIndexedNode } from '../support/indexedNode.ts'
import { withClient } from '../support/postgres.ts'
import { runProgram } from '../support/program.ts'
import { type Service, startService, untilStored } from '../support/service.ts'
import { privateConnectionOf } from '../support/storedMarket.ts'

let market: IndexedNode | undefined
let service: Service | undefined

afterEach(async () => {
  await service?.kill()
  await market?.stop()
})

async function verify(...args: string[]) {
  const program = runProgram(['verify', ...args])
  return { code: await program.ended, out: program.stdout(), err: program.stderr() }
}

test('default: what is right passes, a changed figure is found, another chain is refused', async () => {
  market = await startIndexedNode({ seed: 'verify', blocks: 40 })
  const { dataDir, config } = await market.createConfig()
  service = await startService(dataDir, config)
  await untilStored(dataDir, market.node)
  const right = await verify('--config', config)
  expect(right, right.out + right.err).toMatchObject({ code: 0 })
  expect(right.out).toContain('Against the store: no difference.')

  const other = await startDevNode({ seed: 'another', market: true })
  const refused = await verify('--config', config, '--rpc', other.rpcUrl)
  await other.stop()
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('VERIFY_OTHER_CHAIN')
  expect(refused.out).toBe('')
  const down = await verify('--config', config, '--rpc', other.rpcUrl)
  expect(down.code).toBe(75)
  expect(down.err).toContain('VERIFY_NODE_DOWN')

  const connection = await privateConnectionOf(dataDir)
  const wallet = await withClient(connection, async (client) => {
    const { rows } = await client.query<{ wallet: string }>(
      `UPDATE balances SET balance = balance + 1 WHERE (token_id, wallet) =
         (SELECT token_id, wallet FROM balances WHERE balance > 0 ORDER BY wallet LIMIT 1)
       RETURNING wallet`,
    )
    return rows[0]!.wallet
  })
  const changed = await verify('--config', config)
  expect(changed.code).toBe(1)
  expect(changed.out).toContain('Against the store: 1 difference.')
  expect(changed.out).toContain(`balance of ${wallet}`)
  expect(changed.err).toContain('VERIFY_DIFFERENCES')
})

test('behavior: help works, and a folder without data is named', async () => {
  expect(await verify('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--rpc') })
  const none = await verify('--data-dir', 'no-such-folder')
  expect(none.code).toBe(1)
  expect(none.err).toContain('NOTHING_STORED')
})
