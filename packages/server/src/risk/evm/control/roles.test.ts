import { encodeFunctionResult, keccak256, parseAbi, stringToHex, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import type { FoundLog } from '../boundedLogs.ts'
import type { CallAnswer, PinnedState } from '../trade/pinnedState.ts'
import { hasHiddenOwner, previousOwnerOf, readOwner } from './owner.ts'
import { diamondCutSelector, readFacets } from './proxy.ts'
import { adminRoleName, hasRoleSelector, readRoles, roleNamesOf } from './roles.ts'

const token = `0x${'11'.repeat(20)}`
const account = (digit: string) => `0x${digit.repeat(40)}`
const word = (address: string) => `0x${'0'.repeat(24)}${address.slice(2)}`
const zero = account('0')
const yes = `0x${'0'.repeat(63)}1`
const no = `0x${'0'.repeat(64)}`

/** `answers` by call data, or by its selector. All else is refused. */
function stateOf({
  answers = {},
  slots = {},
}: {
  answers?: Record<string, string>
  slots?: Record<string, string>
}) {
  const asked: string[] = []
  const state: PinnedState = {
    code: async (addresses) => addresses.map(() => '0x'),
    storage: async (_, wanted) => wanted.map((slot) => slots[slot] ?? no),
    call: async (calls) =>
      calls.map(({ data }): CallAnswer => {
        asked.push(data)
        const answer = answers[data] ?? answers[data.slice(0, 10)]
        return answer === undefined
          ? { type: 'reverted', reason: '' }
          : { type: 'answered', data: answer }
      }),
  }
  return { state, asked }
}

const minter = keccak256(stringToHex('MINTER_ROLE'))
const adminRole = no
const grantOf = (role: string, to: string): FoundLog => {
  const topics = ['0xtopic', role, word(to), word(zero)]
  return { topics, data: '0x', transactionHash: '0x', blockNumber: '0x1' }
}
const hasRole = (role: string, of: string) =>
  `${hasRoleSelector}${role.slice(2)}${word(of).slice(2)}`
const rolesOf = (selectors: readonly string[]) => ({
  has: (one: string) => selectors.includes(one),
})

test('accounts that were granted a role have it as far as the contract says so', async () => {
  const { state } = stateOf({
    answers: { [hasRole(minter, account('a'))]: yes, [hasRole(adminRole, account('b'))]: yes },
  })
  const grants = [
    grantOf(minter, account('a')),
    grantOf(minter.toUpperCase().replace('0X', '0x'), account('a')),
    grantOf(minter, account('b')),
    grantOf(adminRole, account('b')),
    { ...grantOf(minter, account('c')), topics: ['0xtopic'] },
  ]
  const query = { state, token, functions: rolesOf([hasRoleSelector]), suspects: [] }
  const holders = [
    { role: 'MINTER_ROLE', address: account('a') },
    { role: adminRoleName, address: account('b') },
  ]
  expect(await readRoles({ ...query, grants: async () => grants, membersMax: 4 })).toEqual({
    holders,
    isWhole: true,
  })
  // At the limit there may be more.
  expect(await readRoles({ ...query, grants: async () => grants, membersMax: 3 })).toEqual({
    holders,
    isWhole: false,
  })
  expect(await readRoles({ ...query, grants: async () => grants, membersMax: 1 })).toEqual({
    holders: holders.slice(0, 1),
    isWhole: false,
  })
})

test('without logs each suspect is asked about each usual role, once', async () => {
  const { state, asked } = stateOf({ answers: { [hasRole(minter, account('a'))]: yes } })
  const query = { state, token, functions: rolesOf([hasRoleSelector]), grants: async () => null }
  const suspects = [account('a'), account('b'), account('a')]
  expect(await readRoles({ ...query, suspects, membersMax: 9 })).toEqual({
    holders: [{ role: 'MINTER_ROLE', address: account('a') }],
    isWhole: false,
  })
  expect(new Set(asked).size).toBe(asked.length)
  const roleNames = roleNamesOf(['MINTER_ROLE'])
  asked.splice(0)
  await readRoles({ ...query, suspects, membersMax: 9, roleNames })
  expect(asked).toHaveLength(4)
})

const countSelector = toFunctionSelector('getRoleMemberCount(bytes32)')
const memberSelector = toFunctionSelector('getRoleMember(bytes32,uint256)')

test('a contract that lists its members is read by place, and asked for no more than allowed', async () => {
  const uint = (value: number) => value.toString(16).padStart(64, '0')
  const member = (at: number) => `${memberSelector}${minter.slice(2)}${uint(at)}`
  const { state, asked } = stateOf({
    answers: {
      [`${countSelector}${minter.slice(2)}`]: `0x${uint(3)}`,
      [member(0)]: word(account('a')),
      [member(1)]: word(zero),
      [member(2)]: word(account('c')),
    },
  })
  const functions = rolesOf([hasRoleSelector, countSelector])
  const query = { state, token, functions, suspects: [], grants: async () => null }
  const nameAll = (letters: string[]) =>
    letters.map((letter) => ({ role: 'MINTER_ROLE', address: account(letter) }))
  expect(await readRoles({ ...query, membersMax: 9 })).toEqual({
    holders: nameAll(['a', 'c']),
    isWhole: false,
  })
  asked.splice(0)
  expect(await readRoles({ ...query, membersMax: 2 })).toEqual({
    holders: nameAll(['a']),
    isWhole: false,
  })
  expect(asked.filter((data) => data.startsWith(memberSelector))).toHaveLength(2)
  // One that lists nobody is asked like any other.
  const silent = stateOf({})
  expect(await readRoles({ ...query, state: silent.state, membersMax: 2 })).toEqual({
    holders: [],
    isWhole: false,
  })
})

test('older contracts have a getter for each role, others have none', async () => {
  const isMinter = toFunctionSelector('isMinter(address)')
  const { state } = stateOf({ answers: { [`${isMinter}${word(account('b')).slice(2)}`]: yes } })
  const query = { state, token, suspects: [account('a'), account('b')], membersMax: 9 }
  const grants = async () => []
  expect(await readRoles({ ...query, grants, functions: rolesOf([isMinter]) })).toEqual({
    holders: [{ role: 'MINTER_ROLE', address: account('b') }],
    isWhole: false,
  })
  expect(await readRoles({ ...query, grants, functions: rolesOf([]) })).toBe(null)
})

test('the first getter that returns an address names the owner, also a renounced one', async () => {
  const owner = (answers: Record<string, string>) => readOwner(stateOf({ answers }).state, token)
  expect(await owner({ '0x8da5cb5b': word(account('a')), '0x893d20e8': word(account('b')) })).toBe(
    account('a'),
  )
  expect(await owner({ '0x8da5cb5b': '0x', '0x893d20e8': word(account('b')) })).toBe(account('b'))
  expect(await owner({ '0xb2bdfa7b': no })).toBe(zero)
  expect(await owner({})).toBe(null)
})

test('the previous owner is in the last event that is readable, if it ends with the owner', () => {
  const passed = (from: string, to: string): FoundLog => ({
    ...grantOf(no, zero),
    topics: ['0xtopic', word(from), word(to)],
  })
  const [a, b] = [account('a'), account('b')]
  expect(previousOwnerOf([passed(zero, a), passed(a, b)], b)).toBe(a)
  expect(previousOwnerOf([passed(a, b), { ...passed(a, b), topics: ['0xtopic'] }], b)).toBe(a)
  expect(previousOwnerOf([passed(zero, a)], a)).toBe(null)
  expect(previousOwnerOf([passed(zero, a), passed(a, b)], a)).toBe(null)
  expect(previousOwnerOf([], a)).toBe(null)
})

test('an account that the code obeys and no view names is a hidden owner', async () => {
  const [owner, other, maker, pool] = ['a', 'b', 'c', 'd'].map(account) as [
    string,
    string,
    string,
    string,
  ]
  const view = '0x12345678'
  const trace = { writes: new Set<string>(), isComplete: true }
  const slotOf = (slot: number) => `0x${slot.toString(16).padStart(64, '0')}`
  const isHidden = (
    authorities: object,
    { named = '', slots = {}, suspects = [] as string[], trace: other = trace as object } = {},
  ) => {
    const answers = named === '' ? {} : { [view]: word(named) }
    return hasHiddenOwner({
      state: stateOf({ answers, slots }).state,
      ...{ token, owner, suspects, marketContracts: [pool] },
      authorities: { stored: [], accounts: [], lists: [], ...authorities },
      code: { functions: new Map([[view, other]]) },
    } as unknown as Parameters<typeof hasHiddenOwner>[0])
  }
  expect(await isHidden({})).toBe(false)
  expect(await isHidden({ accounts: [owner, token, pool] })).toBe(false)
  expect(await isHidden({ accounts: [other] })).toBe(true)
  expect(await isHidden({ accounts: [other] }, { named: other })).toBe(false)
  const writing = { writes: new Set(['0x1']), isComplete: true }
  expect(await isHidden({ accounts: [other] }, { named: other, trace: writing })).toBe(true)
  const stored = [{ slot: '0x5', shift: 8 }]
  const shifted = { [slotOf(5)]: `0x${'0'.repeat(22)}${other.slice(2)}ff` }
  expect(await isHidden({ stored }, { slots: shifted })).toBe(true)
  expect(await isHidden({ stored }, { slots: shifted, named: other })).toBe(false)
  expect(await isHidden({ stored })).toBe(false)

  const entry = keccak256(`0x${word(maker).slice(2)}${slotOf(7).slice(2)}`)
  const listed = (value: string) =>
    isHidden({ lists: ['0x7'] }, { slots: { [entry]: value }, suspects: [maker, maker] })
  expect(await listed(yes)).toBe(true)
  expect(await listed(`0x${'0'.repeat(63)}2`)).toBe(false)
  const asOwner = { slots: { [entry]: yes }, suspects: [owner, pool] }
  expect(await isHidden({ lists: ['0x7'] }, asOwner)).toBe(false)
})

const loupe = parseAbi([
  'struct Facet { address facetAddress; bytes4[] functionSelectors; }',
  'function facets() view returns (Facet[])',
])

test('facets of a diamond are those it lists, unless it lists none or too many', async () => {
  const listing = (count: number) =>
    encodeFunctionResult({
      abi: loupe,
      functionName: 'facets',
      result: Array.from({ length: count }, (_, at) => ({
        facetAddress: `0x${(at + 10).toString(16).padStart(40, '0')}` as const,
        functionSelectors: ['0x12345678' as const],
      })),
    })
  const read = (data: string) =>
    readFacets(stateOf({ answers: { '0x7a0ed627': data } }).state, token)
  expect(await read(listing(2))).toEqual([
    { address: `0x${'a'.padStart(40, '0')}`, selectors: ['0x12345678'] },
    { address: `0x${'b'.padStart(40, '0')}`, selectors: ['0x12345678'] },
  ])
  expect(await read(listing(64))).toHaveLength(64)
  for (const data of [listing(0), listing(65), '0x1234']) expect(await read(data)).toBe(null)
})

test('a diamond that lists nothing is read from its storage, in both forms', async () => {
  const storage = keccak256(stringToHex('diamond.standard.diamond.storage'))
  const slotOf = (selector: string) =>
    keccak256(`${selector.padEnd(66, '0')}${storage.slice(2)}` as `0x${string}`)
  const plain = `0x${'0'.repeat(23)}1${account('a').slice(2)}`
  const packed = `${account('b')}${'0'.repeat(23)}2`
  const slots = { [slotOf('0xa9059cbb')]: plain, [slotOf(diamondCutSelector)]: packed }
  expect(await readFacets(stateOf({ slots }).state, token)).toEqual([
    { address: account('a'), selectors: ['0xa9059cbb'] },
    { address: account('b'), selectors: [diamondCutSelector] },
  ])
  const { [slotOf('0xa9059cbb')]: _, ...others } = slots
  expect(await readFacets(stateOf({ slots: others }).state, token)).toBe(null)
})
