// Tokens implemented by the chain's nodes: calls are answered although there is no bytecode at the
// address.
import { type Address, type Hex, keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createEvmRpc, type EvmRpc } from '../../packages/server/src/chain/evm/rpc/evmRpc.ts'
import { createLogger } from '../../packages/server/src/lib/logger.ts'
import { createFirstBlockFinder } from '../../packages/server/src/resolve/evm/findFirstBlock.ts'
import { findCreation } from '../../packages/server/src/risk/evm/creation.ts'
import { hideCode, nativeToken, openNativeTokens } from '../support/nativeToken.ts'
import { readSubject } from '../support/riskSubject.ts'
import { openRiskWorld, type RiskWorld } from '../support/riskWorld.ts'

const nobody: Address = `0x${'0'.repeat(40)}`
const hashOf = (name: string): Hex => keccak256(stringToHex(name))
const adminRole: Hex = `0x${'0'.repeat(64)}`
const blocklist = 7n

let world: RiskWorld
let tokens: Awaited<ReturnType<typeof openNativeTokens>>
let createdAt: Awaited<ReturnType<RiskWorld['node']['readHead']>>
let deployer: Address
let alice: Address

beforeAll(async () => {
  world = await openRiskWorld()
  deployer = world.node.wallets.deployer
  alice = world.node.wallets.traders[0]!
  tokens = await openNativeTokens(world.node)
  for (let i = 0; i < 20; i += 1) await world.node.mine()
  await tokens.create(nativeToken)
  createdAt = await world.node.readHead()
  for (let i = 0; i < 20; i += 1) await world.node.mine()
})

afterAll(() => world.close())

/** Connects through a node that returns this code for the token. */
async function openRpc(code: '0x' | '0xef', refused: readonly string[] = []): Promise<EvmRpc> {
  const proxy = await hideCode(world.node, code, refused)
  const rpc = createEvmRpc({
    endpoints: [{ httpUrl: proxy.url }],
    timeoutMs: 10_000,
    hedgeAfterMs: 5_000,
    batchSizeMax: 50,
    retryDelayMs: 5,
    logger: createLogger('silent'),
  })
  onTestFinished(async () => {
    rpc.close()
    await proxy.close()
  })
  return rpc
}

async function checked(code: '0x' | '0xef', rpc?: EvmRpc) {
  const subject = await readSubject(world.node, nativeToken, { pools: [] })
  const reader = world.openReader(
    { reportBlockTimeSMax: 0, reportBlocksMin: 0 },
    rpc ?? (await openRpc(code)),
  )
  return await world.bodyOf(subject, reader)
}

test.each(['0x', '0xef'] as const)(
  'default: powers and creation where the code is %s',
  async (code) => {
    expect(await checked(code)).toMatchObject({
      has_code: 1,
      token_standard: 'B20',
      is_proxy: '0',
      is_upgradeable: '0',
      has_mint_method: 1,
      transfer_pausable: '1',
      has_black_method: 1,
      owner_change_balance: '1',
      slippage_modifiable: 0,
      transfers_paused: '0',
      ui_multiplier: '1',
      creator_address: deployer,
      role_holders: [{ role: 'DEFAULT_ADMIN_ROLE', address: deployer }],
    })
  },
)

test('behavior: trades of a token without bytecode are simulated', async () => {
  const subject = await world.openMarket(nativeToken)
  const body = await world.bodyOf(subject, world.openReader({}, await openRpc('0xef')))
  expect(body).toMatchObject({ err_code: '0', buy_tax: 0, sell_tax: 0, is_honeypot: 0 })
})

test('behavior: roles, policies, cap, pause and multiplier are reported as they are now', async () => {
  await tokens.callToken(nativeToken, 'setRole', [hashOf('MINT_ROLE'), alice, true])
  await tokens.callToken(nativeToken, 'set', [2n * 10n ** 24n, 25n * 10n ** 17n, true])
  await tokens.callToken(nativeToken, 'updatePolicy', [hashOf('TRANSFER_SENDER_POLICY'), blocklist])
  await tokens.setPolicyAdmin(blocklist, alice)
  const body = await checked('0xef')
  expect(body).toMatchObject({ supply_cap: '2000000', transfers_paused: '1', ui_multiplier: '2.5' })
  expect(body.role_holders).toEqual([
    { role: 'DEFAULT_ADMIN_ROLE', address: deployer },
    { role: 'MINT_ROLE', address: alice },
    { role: 'TRANSFER_SENDER_POLICY', address: alice },
  ])
  const open = { id: '0', type: 'always_allow' }
  expect(body.policies).toEqual([
    { scope: 'TRANSFER_SENDER_POLICY', id: '7', type: 'blocklist', admin: alice },
    { scope: 'TRANSFER_RECEIVER_POLICY', ...open },
    { scope: 'TRANSFER_EXECUTOR_POLICY', ...open },
    { scope: 'MINT_RECEIVER_POLICY', ...open },
    { scope: 'SEIZE_EXEMPT_POLICY', ...open },
    { scope: 'SEIZE_RECEIVER_POLICY', ...open },
  ])
})

test('behavior: without an admin only powers with a role remain', async () => {
  await tokens.callToken(nativeToken, 'setRole', [adminRole, deployer, false])
  expect(await checked('0xef')).toMatchObject({
    has_mint_method: 1,
    transfer_pausable: '0',
    has_black_method: 1,
    owner_change_balance: '0',
  })
  await tokens.setPolicyAdmin(blocklist, nobody)
  await tokens.callToken(nativeToken, 'set', [10n ** 24n, 10n ** 18n, false])
  // The whole supply exists already and nobody can raise the cap.
  expect(await checked('0xef')).toMatchObject({ has_mint_method: 0, has_black_method: 0 })
})

test('behavior: without logs, unknown roles rule nothing out', async () => {
  const rpc = await openRpc('0xef', ['eth_getLogs'])
  const body = await checked('0xef', rpc)
  expect(body).toMatchObject({ has_mint_method: 1, transfer_pausable: '1' })
  expect(body).not.toHaveProperty('hidden_owner')
})

test.each([
  ["the factory's event", '0x', [], 0],
  // One extra call: the test token's code is injected into the state of the block before.
  ['its answers', '0x', ['eth_getLogs'], 1],
  ['its mark', '0xef', ['eth_getLogs'], 1],
] as const)('behavior: its creation is found by %s', async (_, code, refused, before) => {
  const rpc = await openRpc(code, refused)
  const { number, hash } = await world.node.readHead()
  const { signal } = new AbortController()
  const creation = await findCreation({ rpc, address: nativeToken, block: { number }, signal })
  expect(creation).toMatchObject({ block: createdAt.number - before })
  const firstBlockOf = createFirstBlockFinder({ rpc, firstBlock: 0, reorgDepthMax: 4 })
  const first = await firstBlockOf(nativeToken, { number, hash })
  expect(first).toBeLessThanOrEqual(createdAt.number)
})

test('behavior: an address of the standard without a token', async () => {
  const subject = await readSubject(world.node, nativeToken, { pools: [] })
  const nowhere = { ...subject, address: nativeToken.replace('a1', 'b1') }
  const reader = world.openReader({}, await openRpc('0x'))
  expect(await world.bodyOf(nowhere, reader)).toMatchObject({
    has_code: 0,
    err_msg: 'there is no contract',
  })
})
