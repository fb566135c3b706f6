import type { EvmRpc } from '../../chain/evm/rpc/evmRpc.ts'
import { numbersApart } from '../../model/block.ts'
import type { ChainProfile } from '../../model/chainProfile.ts'
import { mayMindSimulation } from '../honeypot.ts'
import { nothingFound, type RiskChecker } from '../riskChecker.ts'
import type { ContractFindings, LpFacts, OwnerFacts } from '../riskReport.ts'
import type { RiskPool, RiskSubject } from '../riskSubject.ts'
import { type BalanceLayout, balanceLayouts, findBalanceLayout } from './balanceSlot.ts'
import { readBoundedLogs } from './boundedLogs.ts'
import { codeFlags, runsOtherCode } from './code/codeFlags.ts'
import { readContract } from './code/readContract.ts'
import { type Creation, findCreation } from './creation.ts'
import type { EvmCheckLimits } from './evmCheckLimits.ts'
import { readLpFacts, transferTopic } from './lpFacts.ts'
import { ownershipTopic, previousOwnerOf, readOwner } from './owner.ts'
import { createPinnedState, type PinnedState } from './pinnedState.ts'
import { type ProxyFacts, readProxy } from './proxy.ts'
import { readTrading, settleSells } from './trading.ts'
import { balanceOfData, uintOfWord } from './words.ts'

export type EvmCheckerOptions = { profile: ChainProfile; rpc: EvmRpc; limits: EvmCheckLimits }

// How often a place in the code is walked with other constants before they are forgotten.
const visitsMax = 8

/** Asks an EVM node what it can tell of a token: its code, owner, maker, LP shares, and whether it trades. */
export function createEvmChecker({ profile, rpc, limits }: EvmCheckerOptions): RiskChecker {
  /** What never changes once it is known. Least recently used first. */
  const creations = new Map<string, Creation>()
  const layouts = new Map<string, BalanceLayout>()
  const allLayouts = balanceLayouts(limits.balanceSlotsMax)

  async function creationOf(subject: RiskSubject, signal: AbortSignal): Promise<Creation | null> {
    const { address, block } = subject
    const known = creations.get(address)
    creations.delete(address)
    const creation = known ?? (await findCreation({ rpc, address, block, signal }))
    // A young contract may be made again in another block.
    const isSettled =
      creation !== null && numbersApart(creation.block, block.number) > profile.reorgDepthMax
    if (isSettled) creations.set(address, creation)
    if (creations.size > limits.creationsMax) creations.delete(creations.keys().next().value!)
    return creation
  }

  async function layoutOf(state: PinnedState, quote: string, owner: string) {
    const known = layouts.get(quote)
    if (known) return known
    const found = await findBalanceLayout(state, quote, owner, allLayouts)
    // Only the quotes of the chain's config are remembered, so there are never more.
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
      const code = found!.toLowerCase()
      if (code === '0x') return { ...codeless, feeUnitRaw }
      const [proxy, ownerAddress, creation] = await Promise.all([
        readProxy(state, address, code),
        readOwner(state, address),
        creationOf(subject, signal),
      ])
      const creator = subject.launch?.creator || creation?.creator || null
      const scene = { profile, rpc, limits, subject, state, signal, creation }
      const accounts = { owner: ownerAddress, creator }
      const [codeFacts, balances, previous, lp, trading] = await Promise.all([
        readCode(proxy, limits, signal),
        readBalances(state, address, [ownerAddress, creator]),
        readPreviousOwner(scene, ownerAddress),
        readLp(scene, accounts),
        readTrading({ ...scene, ...accounts, layoutOf: (...args) => layoutOf(state, ...args) }),
      ])
      return {
        hasCode: true,
        ...codeFacts,
        owner: ownerFacts(profile, ownerAddress, previous, balances[0]!),
        creator:
          creator === null
            ? null
            : { address: creator, txHash: creation?.txHash ?? null, balanceRaw: balances[1]! },
        createdAtS: creation?.timeS ?? null,
        lp,
        ...trading,
        holderSells: settleSells(trading.holderSells, mayMindSimulation(codeFacts.flags)),
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

async function readGasPrice(rpc: EvmRpc, signal: AbortSignal): Promise<bigint | null> {
  const price = await rpc.request('eth_gasPrice', [], { signal, roundsMax: 1 }).catch(() => null)
  return typeof price === 'string' && /^0x[0-9a-f]+$/i.test(price) ? BigInt(price) : null
}

type CodeFacts = Pick<ContractFindings, 'isProxy' | 'isUpgradeable' | 'flags'>

async function readCode(
  proxy: ProxyFacts,
  limits: EvmCheckLimits,
  signal: AbortSignal,
): Promise<CodeFacts> {
  const { isProxy, isUpgradeable, code } = proxy
  if (code === null) return { isProxy, isUpgradeable, flags: null }
  const contract = await readContract(code, {
    stepsMax: limits.functionStepsMax,
    totalStepsMax: limits.codeStepsMax,
    msMax: limits.codeMsMax,
    constantsMax: limits.selectorsMax,
    visitsMax,
    signal,
  })
  const { fallback } = contract
  // Hands on what it does not know, in none of the ways that are known.
  const mayDelegate = !fallback.isComplete || runsOtherCode(fallback.opcodes)
  return {
    isProxy: isProxy || (mayDelegate ? null : false),
    isUpgradeable: isUpgradeable || (mayDelegate ? null : isUpgradeable),
    flags: codeFlags(contract),
  }
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

async function readPreviousOwner(scene: Scene, owner: string | null): Promise<string | null> {
  if (owner === null) return null
  const { rpc, subject, signal, limits, creation } = scene
  const logs = await readBoundedLogs({
    ...{ rpc, address: subject.address, topic0: ownershipTopic, signal },
    ...{ from: creation?.block ?? 0, to: subject.block.number, blocksMax: limits.logBlocksMax },
  })
  return logs === null ? null : previousOwnerOf(logs, owner)
}

async function readLp(
  scene: Scene,
  { owner, creator }: { owner: string | null; creator: string | null },
): Promise<LpFacts | null> {
  const { profile, rpc, limits, subject, state, signal, creation } = scene
  const pool = deepestSharedPool(subject)
  if (pool === null) return null
  const transfers = await readBoundedLogs({
    ...{ rpc, address: pool.address, topic0: transferTopic, signal },
    // A pair is not older than its token.
    ...{ from: creation?.block ?? 0, to: subject.block.number, blocksMax: limits.logBlocksMax },
  })
  const holdersMax = limits.lpHoldersMax
  return await readLpFacts({
    ...{ state, profile, pair: pool.address, owner, creator, transfers, holdersMax },
  })
}

/** Only pairs of this kind have shares; beside a concentrated main pair there may be one. */
function deepestSharedPool({ pools }: Pick<RiskSubject, 'pools'>): RiskPool | null {
  return pools
    .filter(({ isTrusted, kind }) => isTrusted && kind === 'constantProduct')
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
