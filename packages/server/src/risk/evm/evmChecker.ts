import { uiMultiplierSelector } from '../../chain/evm/nativeTokens.ts'
import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'
import { blockNumberDistance } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { nothingFound, type RiskChecker } from '../riskChecker.ts'
import {
  type ContractFindings,
  type LpFacts,
  mayDetectSimulation,
  type OwnerFacts,
} from '../riskReport.ts'
import type { RiskPool, RiskSubject } from '../riskSubject.ts'
import { readBoundedLogs } from './boundedLogs.ts'
import type { ContractCode } from './code/readContract.ts'
import { readCodeFacts, traceCode } from './contractFacts.ts'
import { ownershipTopic, previousOwnerOf, readOwner } from './control/owner.ts'
import { type ProxyFacts, readProxy } from './control/proxy.ts'
import { readRoles, roleGrantedTopic } from './control/roles.ts'
import { type Creation, findCreation } from './creation.ts'
import type { EvmCheckLimits } from './evmCheckLimits.ts'
import { readLpFacts, transferTopic } from './lpFacts.ts'
import { type NativeFindings, readNativePowers, readNativity } from './nativeToken.ts'
import { mintTopic, positionVenues, readPositionFacts } from './positionFacts.ts'
import { type BalanceLayout, balanceLayouts, findBalanceLayout } from './trade/balanceSlot.ts'
import { createPinnedState, type PinnedState } from './trade/pinnedState.ts'
import { countUnclearAsFailed, readTrading } from './trade/trading.ts'
import { balanceOfData, uintOfWord } from './words.ts'

type EvmCheckerOptions = { profile: ChainProfile; rpc: EvmRpc; limits: EvmCheckLimits }

/** Reads from an EVM node: a token's code, owner, creator, LP shares, and whether it trades. */
export function createEvmChecker({ profile, rpc, limits }: EvmCheckerOptions): RiskChecker {
  /** A known creation never changes. */
  const creations = new BoundedMap<string, Creation>(limits.creationsMax)
  const layouts = new Map<string, BalanceLayout>()
  const allLayouts = balanceLayouts(limits.balanceSlotsMax)

  async function creationOf(subject: RiskSubject, signal: AbortSignal): Promise<Creation | null> {
    const { address, block } = subject
    const known = creations.use(address)
    const creation = known ?? (await findCreation({ rpc, address, block, signal }))
    // After a reorg a young contract may be created in another block.
    const isSettled =
      creation !== null && blockNumberDistance(creation.block, block.number) > profile.reorgDepthMax
    if (isSettled) creations.set(address, creation)
    return creation
  }

  async function layoutOf(state: PinnedState, quote: string, owner: string) {
    const known = layouts.get(quote)
    if (known) return known
    const found = await findBalanceLayout(state, quote, owner, allLayouts)
    // Only quotes of the chain's config are remembered, which bounds the map.
    if (found && profile.quotes.includes(quote)) layouts.set(quote, found)
    return found
  }

  return {
    async check(subject, signal) {
      const { address, block } = subject
      const { readGasMax } = limits
      const state = createPinnedState({ rpc, block, readGasMax, signal })
      const [[found], feeUnitRaw] = await Promise.all([
        state.code([address]),
        readGasPrice(rpc, signal),
      ])
      const ownCode = found!.toLowerCase()
      const { isNative, isMissing } = await readNativity(state, address, ownCode)
      if (isMissing) return { ...codeless, feeUnitRaw }
      const [proxy, ownerAddress, creation] = await Promise.all([
        isNative ? null : readProxy(state, address, ownCode),
        readOwner(state, address),
        creationOf(subject, signal),
      ])
      const creator = subject.launch?.creator || creation?.creator || null
      const scene = { profile, rpc, limits, subject, state, signal, creation }
      const accounts = { owner: ownerAddress, creator }
      const [code, balances, previous, lp, trading, uiMultiplier] = await Promise.all([
        proxy && traceCode(proxy, limits, signal),
        readBalances(state, address, [ownerAddress, creator]),
        readPreviousOwner(scene, ownerAddress),
        readLp(scene, accounts),
        readTrading({ ...scene, ...accounts, layoutOf: (...args) => layoutOf(state, ...args) }),
        readUiMultiplier(state, address),
      ])
      const powers = await readPowers(scene, proxy, code, [ownerAddress, creator, previous])
      return {
        hasCode: true,
        ...powers,
        uiMultiplier,
        owner: ownerFacts(profile, ownerAddress, previous, balances[0]!),
        creator:
          creator === null
            ? null
            : { address: creator, txHash: creation?.txHash ?? null, balanceRaw: balances[1]! },
        createdAtS: creation?.timeS ?? null,
        lp,
        transferFee: null,
        ...trading,
        holderSells: countUnclearAsFailed(trading.holderSells, mayDetectSimulation(powers.flags)),
        feeUnitRaw,
      }
    },
  }
}

const codeless: ContractFindings = {
  ...nothingFound,
  hasCode: false,
  tradeError: 'there is no contract',
}

type Scene = EvmCheckerOptions & {
  subject: RiskSubject
  state: PinnedState
  signal: AbortSignal
  creation: Creation | null
}

/** Null if the token answers with anything but one number. */
async function readUiMultiplier(state: PinnedState, token: string): Promise<bigint | null> {
  const [answer] = await state.call([{ to: token, data: uiMultiplierSelector }])
  const multiplier =
    answer?.type === 'answered' && answer.data.length === 66 ? uintOfWord(answer.data) : null
  return multiplier === 0n ? null : multiplier
}

async function readGasPrice(rpc: EvmRpc, signal: AbortSignal): Promise<bigint | null> {
  const price = await rpc.request('eth_gasPrice', [], { signal, roundsMax: 1 }).catch(() => null)
  return typeof price === 'string' && /^0x[0-9a-f]+$/i.test(price) ? BigInt(price) : null
}

async function readBalances(
  state: PinnedState,
  token: string,
  owners: readonly (string | null)[],
): Promise<(bigint | null)[]> {
  const asked = owners.filter((owner) => owner !== null)
  const answers = await state.call(
    asked.map((owner) => ({ to: token, data: balanceOfData(owner) })),
  )
  const balances = answers.map((answer) =>
    answer.type === 'answered' ? uintOfWord(answer.data) : null,
  )
  return owners.map((owner) => (owner === null ? null : balances[asked.indexOf(owner)]!))
}

/** Contracts of the market: their powers say nothing about the token. */
function marketContractsOf({ burnAddresses }: ChainProfile, { pools }: RiskSubject): string[] {
  return [...burnAddresses, ...pools.flatMap((pool) => [pool.address, pool.factory])]
}

/** Logs of the token or its pair since its creation; null if that is too long ago or unknown. */
function readLogs(scene: Scene, address: string, topic0: string) {
  const { rpc, subject, signal, limits, creation } = scene
  return readBoundedLogs({
    rpc,
    address,
    topic0,
    signal,
    // A pair is never older than its token.
    from: creation?.block ?? 0,
    to: subject.block.number,
    blocksMax: limits.logBlocksMax,
  })
}

async function readPreviousOwner(scene: Scene, owner: string | null): Promise<string | null> {
  if (owner === null) return null
  const logs = await readLogs(scene, scene.subject.address, ownershipTopic)
  return logs === null ? null : previousOwnerOf(logs, owner)
}

/** Powers over holders, and their bearers: owner, creator, previous owner. */
async function readPowers(
  scene: Scene,
  /** Null if the node itself implements the token. */
  proxy: ProxyFacts | null,
  code: ContractCode | null,
  [owner, ...makers]: readonly [string | null, ...(string | null)[]],
): Promise<NativeFindings> {
  const { profile, state, limits, subject } = scene
  const token = subject.address
  const suspects = [owner, ...makers].filter((account) => account !== null)
  const marketContracts = marketContractsOf(profile, subject)
  const grants = () => readLogs(scene, token, roleGrantedTopic)
  const rolesQuery = { state, token, suspects, grants, membersMax: limits.roleHoldersMax }
  if (proxy === null) return await readNativePowers(rolesQuery)
  const [facts, roles] = await Promise.all([
    readCodeFacts(proxy, code, { state, token, owner, suspects, marketContracts }),
    code && readRoles({ ...rolesQuery, functions: code.functions }),
  ])
  return { ...facts, roles, native: null }
}

async function readLp(
  scene: Scene,
  { owner, creator }: { owner: string | null; creator: string | null },
): Promise<LpFacts | null> {
  const { profile, limits, subject, state, rpc, signal } = scene
  const query = { state, profile, owner, creator, holdersMax: limits.lpHoldersMax }
  const pair = deepestPool(subject, ({ kind }) => kind === 'constantProduct')?.address
  if (pair !== undefined) {
    const transfers = await readLogs(scene, pair, transferTopic)
    return await readLpFacts({ ...query, pair, transfers })
  }
  const pool = deepestPool(subject, ({ venue }) => positionVenues.includes(venue))?.address
  const mints = pool === undefined ? null : await readLogs(scene, pool, mintTopic)
  if (pool === undefined || mints === null) return null
  return await readPositionFacts({
    ...query,
    pair: pool,
    mints,
    blocksMax: limits.positionBlocksMax,
    logsIn: (address, topic0, block) =>
      readBoundedLogs({ rpc, address, topic0, from: block, to: block, blocksMax: 1, signal }),
  })
}

/** Prefers pairs with shares: a concentrated main pair may have one beside it. */
function deepestPool(
  { pools }: RiskSubject,
  isMeant: (pool: RiskPool) => boolean,
): RiskPool | null {
  return pools
    .filter((pool) => pool.isTrusted && isMeant(pool))
    .reduce<RiskPool | null>(
      (deepest, pool) =>
        deepest === null || pool.liquidityUsd > deepest.liquidityUsd ? pool : deepest,
      null,
    )
}

function ownerFacts(
  profile: ChainProfile,
  address: string | null,
  previous: string | null,
  balanceRaw: bigint | null,
): OwnerFacts | null {
  if (address === null) return null
  return { address, isRenounced: profile.burnAddresses.includes(address), previous, balanceRaw }
}
