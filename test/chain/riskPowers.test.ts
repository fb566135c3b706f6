// Accounts with power over a token besides its owner, and where its code is located.
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { type Abi, type Address, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Artifact } from '../../packages/devnet/src/contracts/artifacts.ts'
import { compileSolidity } from '../support/compileSolidity.ts'
import type { DevNode } from '../support/devNode.ts'
import { readSubject } from '../support/riskSubject.ts'
import { openRiskWorld, type RiskWorld } from '../support/riskWorld.ts'
import { deployArtifact, deployContract, deployToken, transact } from '../support/simulate.ts'

const zeroAddress = `0x${'0'.repeat(40)}`
const tricks = compileSolidity(resolve(import.meta.dirname, '../support/RiskTokens.sol'))
const requireOfDevnet = createRequire(
  new URL('../../packages/devnet/package.json', import.meta.url),
)
/** The artifact as OpenZeppelin compiled it. */
const published = (name: string) =>
  requireOfDevnet(`@openzeppelin/contracts/build/contracts/${name}.json`) as Artifact

let world: RiskWorld
let node: DevNode
let bodyOf: RiskWorld['bodyOf']
let deployer: Address
let alice: Address

beforeAll(async () => {
  world = await openRiskWorld()
  node = world.node
  bodyOf = (subject) => world.bodyOf(subject, world.openReader())
  deployer = node.wallets.deployer
  alice = node.wallets.traders[0]!
})

afterAll(() => world.close())

const deployTrick = (name: string, args: readonly unknown[] = []) =>
  deployArtifact(node, tricks.get(name)!, args)
const subjectOf = (token: Address) => readSubject(node, token, { pools: [] })

async function call(to: Address, abi: Abi, functionName: string, args: readonly unknown[] = []) {
  const data = encodeFunctionData({ abi, functionName, args })
  await transact(node, { from: deployer, to, data })
}
const callTrick = (to: Address, name: string, functionName: string, args: unknown[] = []) =>
  call(to, tricks.get(name)!.abi, functionName, args)

/** Deploys a token whose owner renounced ownership. */
async function deployRenounced(name: string): Promise<Address> {
  const token = await deployTrick(name)
  await callTrick(token, name, 'renounceOwnership')
  return token
}

test('behavior: an account that no function returns has power behind a renounced owner', async () => {
  const token = await deployRenounced('HiddenKeeper')
  const body = await bodyOf(await subjectOf(token))
  expect(body).toMatchObject({ owner: zeroAddress, hidden_owner: '1', has_owner_removed_risk: 0 })
  expect(body.risk_items).toContainEqual({ code: 'hasHiddenOwner', points: 25 })
})

test('behavior: an account that the contract returns is not hidden, and the owner does not count as gone', async () => {
  const body = await bodyOf(await subjectOf(await deployRenounced('OpenKeeper')))
  expect(body).toMatchObject({ owner: zeroAddress, has_owner_removed_risk: 0 })
  expect(body).not.toHaveProperty('hidden_owner')
})

test('behavior: a creator on a list of powers is a hidden owner after renouncing ownership', async () => {
  const token = await deployTrick('ListedMinters')
  const owned = await bodyOf(await subjectOf(token))
  expect(owned).toMatchObject({ owner: deployer, has_mint_method: 1 })
  expect(owned).not.toHaveProperty('hidden_owner')
  await callTrick(token, 'ListedMinters', 'renounceOwnership')
  const renounced = await bodyOf(await subjectOf(token))
  expect(renounced).toMatchObject({ hidden_owner: '1', has_owner_removed_risk: 0 })
  await callTrick(token, 'ListedMinters', 'leave')
  // The other members of the list are unknown.
  const left = await bodyOf(await subjectOf(token))
  expect(left).toMatchObject({ has_owner_removed_risk: 0 })
  expect(left).not.toHaveProperty('hidden_owner')
})

test('behavior: a renounced owner with a live role is not gone', async () => {
  const token = await deployRenounced('RoleMinters')
  const minterRole = `0x${'0'.repeat(64)}`
  const body = await bodyOf(await subjectOf(token))
  expect(body).toMatchObject({ owner: zeroAddress, has_owner_removed_risk: 0, has_mint_method: 1 })
  expect(body.role_holders).toEqual([
    { role: 'DEFAULT_ADMIN_ROLE', address: deployer },
    { role: 'MINTER_ROLE', address: deployer },
  ])
  expect(body.risk_items).toContainEqual({ code: 'canMint', points: 20 })
  await callTrick(token, 'RoleMinters', 'grantRole', [minterRole, alice, true])
  await callTrick(token, 'RoleMinters', 'grantRole', [minterRole, deployer, false])
  const { role_holders: now } = await bodyOf(await subjectOf(token))
  expect(now).toEqual([
    { role: 'MINTER_ROLE', address: deployer },
    { role: 'DEFAULT_ADMIN_ROLE', address: alice },
  ])
  // Without logs, only the accounts that created the token are asked for roles.
  const narrow = world.openReader({ logBlocksMax: 1 })
  expect((await world.bodyOf(await subjectOf(token), narrow)).role_holders).toEqual([
    { role: 'MINTER_ROLE', address: deployer },
  ])
})

test('behavior: roles of a published token with member lists', async () => {
  const preset = published('ERC20PresetMinterPauser')
  const token = await deployArtifact(node, preset, ['Preset', 'PRE'])
  await call(token, preset.abi, 'mint', [deployer, 10n ** 24n])
  const body = await bodyOf(await subjectOf(token))
  expect(body).toMatchObject({ has_mint_method: 1, transfer_pausable: '1', is_proxy: '0' })
  expect(body.role_holders).toEqual(
    ['DEFAULT_ADMIN_ROLE', 'MINTER_ROLE', 'PAUSER_ROLE'].map((role) => ({
      role,
      address: deployer,
    })),
  )
})

test('behavior: published proxies are followed to their implementation', async () => {
  const target = await deployContract(node, 'MintableToken', ['Under', 'UND', 18, 10n ** 24n])
  const found = { is_proxy: '1', has_mint_method: 1, transfer_pausable: '1', has_black_method: 1 }
  const transparent = await deployArtifact(node, published('TransparentUpgradeableProxy'), [
    ...[target, alice, '0x'],
  ])
  expect(await bodyOf(await subjectOf(transparent))).toMatchObject({
    ...found,
    is_upgradeable: '1',
  })
  const beacon = await deployArtifact(node, published('UpgradeableBeacon'), [target])
  const behind = await deployArtifact(node, published('BeaconProxy'), [beacon, '0x'])
  expect(await bodyOf(await subjectOf(behind))).toMatchObject({ ...found, is_upgradeable: '1' })
})

const tokenFunctions = [
  'name()',
  'symbol()',
  'decimals()',
  'totalSupply()',
  'balanceOf(address)',
  'allowance(address,address)',
  'approve(address,uint256)',
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
].map((signature) => toFunctionSelector(signature))

test.each([
  ['its loupe', true],
  ['its storage', false],
])('behavior: the facets of a diamond are found by %s', async (_, isListed) => {
  const plain = await deployToken(node)
  const freezing = await deployTrick('FreezeFacet')
  const cut: Hex = '0x1f931c1c'
  const freeze = toFunctionSelector('freeze(address)')
  const deploy = (selectors: readonly Hex[]) =>
    deployTrick('Diamond', [
      [
        { facetAddress: plain, functionSelectors: tokenFunctions },
        { facetAddress: freezing, functionSelectors: selectors },
      ],
      isListed,
    ])
  const body = await bodyOf(await subjectOf(await deploy([freeze, cut])))
  expect(body).toMatchObject({ is_proxy: '1', is_upgradeable: '1', has_black_method: 1 })
  // Functions that the proxy does not list may still be callable, so nothing is ruled out.
  for (const name of ['has_mint_method', 'transfer_pausable', 'hidden_owner'])
    expect(body).not.toHaveProperty(name)
  const fixed = await bodyOf(await subjectOf(await deploy([freeze])))
  expect(fixed).toMatchObject({ is_proxy: '1', has_black_method: 1 })
  expect(fixed).not.toHaveProperty('is_upgradeable')
})
