import {
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  stringToHex,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import type { RoleFacts, RoleHolder } from '../../riskReport.ts'
import type { FoundLog } from '../boundedLogs.ts'
import type { PinnedState } from '../trade/pinnedState.ts'
import { addressOfWord, addressWord, uintOfWord } from '../words.ts'

const rolesAbi = parseAbi([
  'function hasRole(bytes32 role, address account) view returns (bool)',
  'function getRoleMemberCount(bytes32 role) view returns (uint256)',
  'function getRoleMember(bytes32 role, uint256 index) view returns (address)',
])
export const hasRoleSelector = toFunctionSelector('hasRole(bytes32,address)')
const memberCountSelector = toFunctionSelector('getRoleMemberCount(bytes32)')

/** OpenZeppelin's AccessControl. */
export const roleGrantedTopic = toEventSelector('RoleGranted(bytes32,address,address)')

const adminRole: Hex = `0x${'0'.repeat(64)}`
export const adminRoleName = 'DEFAULT_ADMIN_ROLE'
/** Names of roles by their hash: contracts only store the hash. */
export function roleNamesOf(names: readonly string[]): ReadonlyMap<string, string> {
  return new Map([
    [adminRole, adminRoleName],
    ...names.map((name): [string, string] => [keccak256(stringToHex(name)), name]),
  ])
}
const usualRoles = roleNamesOf(
  [
    ...['ADMIN', 'BLACKLISTER', 'BRIDGE', 'BURNER', 'CONTROLLER', 'FREEZER', 'GOVERNOR', 'MANAGER'],
    ...['MINTER', 'OPERATOR', 'OWNER', 'PAUSER', 'REBASER', 'SNAPSHOT', 'SUPPLY', 'UPGRADER'],
  ].map((word) => `${word}_ROLE`),
)

/** Before AccessControl, contracts had one list per role, with a named getter. */
const olderRoles = [
  ['MINTER_ROLE', toFunctionSelector('isMinter(address)')],
  ['PAUSER_ROLE', toFunctionSelector('isPauser(address)')],
  ['WHITELIST_ADMIN_ROLE', toFunctionSelector('isWhitelistAdmin(address)')],
] as const

export type RolesQuery = {
  state: PinnedState
  token: string
  /** Selectors of the code that runs. */
  functions: { has(selector: string): boolean }
  /** Grant events since the contract was created; null if unknown. */
  grants(): Promise<readonly FoundLog[] | null>
  /** Owner, creator and previous owner: asked directly if no log shows the roles. */
  suspects: readonly string[]
  membersMax: number
  /** Role names by hash. @default the roles that tokens usually have */
  roleNames?: ReadonlyMap<string, string>
}

/** Reads the roles of a contract beside its owner. Null if the contract has no known roles. */
export async function readRoles(query: RolesQuery): Promise<RoleFacts | null> {
  const { functions } = query
  const older = olderRoles.filter(([, selector]) => functions.has(selector))
  if (!functions.has(hasRoleSelector)) {
    if (older.length === 0) return null
    return { holders: await askOlder(query, older), isWhole: false }
  }
  if (functions.has(memberCountSelector)) {
    const listed = await readListed(query)
    if (listed !== null) return listed
  }
  const grants = await query.grants()
  const asked = grants === null ? suspected(query) : granted(grants, query.membersMax)
  const data = asked.map(({ role, account }) =>
    encodeFunctionData({ abi: rolesAbi, functionName: 'hasRole', args: [role, account] }),
  )
  const answers = await askAll(query, data)
  const holders = asked.flatMap(({ role, account }, i): RoleHolder[] =>
    isYes(answers[i]!) ? [{ role: nameOf(query, role), address: account }] : [],
  )
  return { holders, isWhole: grants !== null && asked.length < query.membersMax }
}

type Asked = { role: Hex; account: Hex }

/** Accounts that were ever granted a role. The contract says which still have it. */
function granted(logs: readonly FoundLog[], membersMax: number): Asked[] {
  const found = new Map<string, Asked>()
  for (const { topics } of logs) {
    const account = addressOfWord(topics[2] ?? '')
    const role = topics[1]?.toLowerCase()
    if (role === undefined || account === null) continue
    found.set(`${role} ${account}`, { role: role as Hex, account: account as Hex })
  }
  return [...found.values()].slice(0, membersMax)
}

function suspected({ suspects, roleNames = usualRoles }: RolesQuery): Asked[] {
  return [...new Set(suspects)].flatMap((account) =>
    [...roleNames.keys()].map((role) => ({ role: role as Hex, account: account as Hex })),
  )
}

/**
 * Reads contracts that list the members of a role; null if they refuse. Roles of unknown name are
 * not found.
 */
async function readListed(query: RolesQuery): Promise<RoleFacts | null> {
  const roles = [...usualRoles.keys()] as Hex[]
  const counts = await askAll(
    query,
    roles.map((role) =>
      encodeFunctionData({ abi: rolesAbi, functionName: 'getRoleMemberCount', args: [role] }),
    ),
  )
  const places = roles.flatMap((role, i) => {
    const count = Number(uintOfWord(counts[i] ?? '') ?? 0n)
    const shown = Math.min(count, query.membersMax)
    return Array.from({ length: shown }, (_, index) => ({ role, index: BigInt(index) }))
  })
  if (places.length === 0) return null
  const asked = places.slice(0, query.membersMax)
  const members = await askAll(
    query,
    asked.map(({ role, index }) =>
      encodeFunctionData({ abi: rolesAbi, functionName: 'getRoleMember', args: [role, index] }),
    ),
  )
  const holders = asked.flatMap(({ role }, i): RoleHolder[] => {
    const address = addressOfWord(members[i] ?? '')
    return address === null ? [] : [{ role: nameOf(query, role), address }]
  })
  return { holders, isWhole: false }
}

async function askOlder(
  query: RolesQuery,
  roles: readonly (typeof olderRoles)[number][],
): Promise<RoleHolder[]> {
  const asked = roles.flatMap(([role, selector]) =>
    [...new Set(query.suspects)].map((address) => ({ role, selector, address })),
  )
  const answers = await askAll(
    query,
    asked.map(({ selector, address }) => `${selector}${addressWord(address)}`),
  )
  return asked.filter((_, i) => isYes(answers[i]!)).map(({ role, address }) => ({ role, address }))
}

/** Null if the contract refused. */
async function askAll(
  { state, token }: RolesQuery,
  data: readonly string[],
): Promise<(string | null)[]> {
  const answers = await state.call(data.map((each) => ({ to: token, data: each })))
  return answers.map((answer) => (answer.type === 'answered' ? answer.data : null))
}

function isYes(answer: string | null): boolean {
  return answer !== null && uintOfWord(answer) === 1n
}

function nameOf({ roleNames = usualRoles }: RolesQuery, role: string): string {
  return roleNames.get(role) ?? role
}
