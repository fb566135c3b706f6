import { keccak256, stringToHex } from 'viem'
import {
  isUnrunnable,
  type NativeStandard,
  nativeRoles,
  nativeSelector,
  nativeStandardOf,
  pausedTransfers,
  policyTypes,
  seizeRoles,
  supplyCapMax,
  transferPolicies,
} from '../../chain/evm/nativeTokens.ts'
import type { CodeFlags, ContractFindings, NativeFacts, PolicyFacts } from '../riskReport.ts'
import {
  adminRoleName,
  hasRoleSelector,
  type RolesQuery,
  readRoles,
  roleNamesOf,
} from './control/roles.ts'
import type { PinnedState } from './trade/pinnedState.ts'
import { addressOfWord, tokenSelector, uintOfWord } from './words.ts'

const roleNames = roleNamesOf(nativeRoles)
const noPowers = { isProxy: null, isUpgradeable: null, flags: null, roles: null }

export type NativeFindings = Required<
  Pick<ContractFindings, 'isProxy' | 'isUpgradeable' | 'flags' | 'roles' | 'native'>
>
type NativeQuery = Omit<RolesQuery, 'functions' | 'roleNames'>

/** Does the node itself implement the token? `isMissing`: nothing answers at the address. */
export async function readNativity(
  state: PinnedState,
  token: string,
  code: string,
): Promise<{ isNative: boolean; isMissing: boolean }> {
  if (!isUnrunnable(code)) return { isNative: false, isMissing: false }
  const [supply] = await wordsOf(state, token, [tokenSelector.totalSupply])
  return { isNative: supply !== null, isMissing: supply === null }
}

/**
 * Reads the powers over a token that the node itself implements, with their holders, by its
 * standard.
 */
export async function readNativePowers(query: NativeQuery): Promise<NativeFindings> {
  const { state, token } = query
  const standard = nativeStandardOf(token)
  if (standard === null) {
    const native = { standard: null, supplyCapRaw: null, isTransferPaused: null, policies: [] }
    return { ...noPowers, native }
  }
  const [roles, policies, [supply, cap, paused]] = await Promise.all([
    readRoles({ ...query, functions: new Set([hasRoleSelector]), roleNames }),
    readPolicies(state, token, standard),
    wordsOf(state, token, [
      tokenSelector.totalSupply,
      nativeSelector.supplyCap,
      nativeSelector.isPaused + wordOf(pausedTransfers),
    ]),
  ])
  const isCapped = cap !== undefined && cap !== null && cap < supplyCapMax
  const native: NativeFacts = {
    standard: standard.name,
    supplyCapRaw: isCapped ? cap : null,
    isTransferPaused: paused === undefined || paused === null ? null : paused === 1n,
    policies,
  }
  const listed = policies.flatMap(({ scope, admin }) =>
    admin === null ? [] : [{ role: scope, address: admin }],
  )
  return {
    isProxy: false,
    isUpgradeable: false,
    native,
    roles: roles && { ...roles, holders: [...roles.holders, ...listed] },
    flags: flagsOf({ roles, native, isFull: isCapped && supply === cap }),
  }
}

type FlagsQuery = Pick<ContractFindings, 'roles'> & { native: NativeFacts; isFull: boolean }

/** Rules a power out only if every role is known, no account has its role and none can grant it. */
function flagsOf({ roles, native: { policies }, isFull }: FlagsQuery): CodeFlags {
  const isHeld = (names: readonly string[]) =>
    roles === null || !roles.isWhole || roles.holders.some(({ role }) => names.includes(role))
  const hasAdmin = isHeld([adminRoleName])
  const can = (...names: string[]) => hasAdmin || isHeld(names)
  const transfers = policies.filter(({ scope }) => isTransferPolicy(scope))
  // Parts of a combined policy may change while the policy stays the same.
  const isChangeable = transfers.some(
    ({ admin, type }) => admin !== null || /union|intersect/.test(type),
  )
  const areRead = transfers.length === transferPolicies.length
  const canList = hasAdmin || isChangeable ? true : areRead ? false : null
  return {
    canMint: can('MINT_ROLE') && (hasAdmin || !isFull),
    canPause: can('PAUSE_ROLE'),
    canBlacklist: canList,
    canWhitelist: canList,
    canChangeBalance: can(...seizeRoles),
    hasHiddenOwner: roles?.isWhole ? false : null,
    canChangeTax: false,
    canChangePersonalTax: false,
    hasMaxAmount: false,
    canChangeMaxAmount: false,
    hasCooldown: false,
    canTakeBackOwnership: false,
    canSelfDestruct: false,
    callsOutside: false,
    seesContracts: false,
  }
}

function isTransferPolicy(scope: string): boolean {
  return (transferPolicies as readonly string[]).includes(scope)
}

/** Policies that the token reports. */
async function readPolicies(
  state: PinnedState,
  token: string,
  { policyRegistry, seizePolicy }: NativeStandard,
): Promise<PolicyFacts[]> {
  const scopes = [...transferPolicies, 'MINT_RECEIVER_POLICY', seizePolicy, 'SEIZE_RECEIVER_POLICY']
  const idCalls = scopes.map(
    (name) => nativeSelector.policyId + keccak256(stringToHex(name)).slice(2),
  )
  const ids = await wordsOf(state, token, idCalls)
  const found = scopes.flatMap((scope, i) => {
    const id = ids[i] ?? null
    return id === null ? [] : [{ scope, id }]
  })
  const adminCalls = found.map(({ id }) => nativeSelector.policyAdmin + wordOf(id))
  const admins = await answersOf(state, policyRegistry, adminCalls)
  return found.map(({ scope, id }, i) => {
    return { scope, id, type: policyTypeOf(id), admin: addressOfWord(admins[i] ?? '') }
  })
}

function policyTypeOf(id: bigint): string {
  if (id === 0n) return 'always_allow'
  const type = policyTypes[Number((id >> 56n) & 0x7fn)] ?? 'unknown'
  return id >> 63n === 1n ? `inverted_${type}` : type
}

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

async function wordsOf(
  state: PinnedState,
  to: string,
  data: readonly string[],
): Promise<(bigint | null)[]> {
  const answers = await answersOf(state, to, data)
  return answers.map((answer) => (answer === null ? null : uintOfWord(answer)))
}

/** Null if the token refused. */
async function answersOf(
  state: PinnedState,
  to: string,
  data: readonly string[],
): Promise<(string | null)[]> {
  const answers = await state.call(data.map((each) => ({ to, data: each })))
  return answers.map((answer) => (answer.type === 'answered' ? answer.data : null))
}
