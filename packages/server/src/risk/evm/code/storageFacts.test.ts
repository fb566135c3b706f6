// Judgements about traces written by hand, each in one place only.
import { toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { codeFlags } from '../contractFacts.ts'
import { findAuthorities } from './authorities.ts'
import { opcode } from './instructions.ts'
import type { ContractCode } from './readContract.ts'
import { isNamedPower, storageFacts } from './storageFacts.ts'
import { anySlot, type FunctionTrace } from './traceFunction.ts'

type Lists = Partial<
  Record<'reads' | 'writes' | 'callerChecks' | 'callerLists', readonly string[]>
> & { opcodes?: readonly number[]; isComplete?: boolean }

const [supply, balances, allowances, owner] = ['0x0', 'map(0x1)', 'map(map(0x2))', '0x9']
const [limit, list] = ['0x5', 'map(0x6)']

function trace({ isComplete = true, ...lists }: Lists = {}): FunctionTrace {
  return {
    reads: new Set(lists.reads),
    writes: new Set(lists.writes),
    callerChecks: new Set(lists.callerChecks),
    callerLists: new Set(lists.callerLists),
    opcodes: new Set(lists.opcodes),
    isComplete,
    isEntered: true,
    steps: 1,
  }
}

const transferFrom = { reads: [balances, allowances], writes: [balances, allowances] }
const tokenFunctions: Readonly<Record<string, Lists>> = {
  'totalSupply()': { reads: [supply] },
  'balanceOf(address)': { reads: [balances] },
  'allowance(address,address)': { reads: [allowances] },
  'transfer(address,uint256)': { reads: [balances], writes: [balances] },
  'transferFrom(address,address,uint256)': transferFrom,
}

/** A token with more or other functions. */
function codeOf(
  functions: Readonly<Record<string, Lists>> = {},
  more: Partial<ContractCode> = {},
): ContractCode {
  const all = Object.entries({ ...tokenFunctions, ...functions })
  return {
    functions: new Map(all.map(([name, lists]) => [toFunctionSelector(name), trace(lists)])),
    fallback: trace(),
    isUnderstood: true,
    opcodes: new Set(),
    ...more,
  }
}

const factsOf = (functions?: Readonly<Record<string, Lists>>, more?: Partial<ContractCode>) =>
  storageFacts(codeOf(functions, more))
const unnamed = 'abc(uint256)'
const mint = 'mint(uint256)'

test('default: a plain token is readable and gives no power', () => {
  expect(factsOf()).toMatchObject({
    isReadable: true,
    balances: new Set([balances]),
    allowances: new Set([allowances]),
    supply: new Set([supply]),
    ownerSlots: new Set(),
    scalars: new Set(),
    lists: new Set(),
    isTimeless: false,
    keepsOwner: false,
    hasHiddenOwner: false,
    callsOutside: false,
    seesContracts: false,
  })
  const flags = Object.values(codeFlags(codeOf()))
  expect(flags.filter((flag) => flag !== false)).toEqual([])
})

test.each<[string, ContractCode]>([
  ['the dispatch was not followed', codeOf({}, { isUnderstood: false })],
  ['transfer was not walked', codeOf({ 'transfer(address,uint256)': { isComplete: false } })],
  [
    'transferFrom was not walked',
    codeOf({ 'transferFrom(address,address,uint256)': { ...transferFrom, isComplete: false } }),
  ],
  ['balances have no place', codeOf({ 'balanceOf(address)': {} })],
])('behavior: nothing is ruled out if %s', (_reason, code) => {
  const facts = storageFacts(code)
  expect(facts.isReadable).toBe(false)
  expect(facts.readsOnly(new Set([limit]))).toBe(null)
  const { isTimeless, keepsOwner, hasHiddenOwner, callsOutside, seesContracts } = facts
  const judged = [isTimeless, keepsOwner, hasHiddenOwner, callsOutside, seesContracts]
  expect(judged).toEqual([null, null, null, null, null])
})

test('behavior: a token without transferFrom is not readable', () => {
  const code = codeOf()
  const functions = new Map(code.functions)
  functions.delete(toFunctionSelector('transferFrom(address,address,uint256)'))
  expect(storageFacts({ ...code, functions }).isReadable).toBe(false)
})

test('behavior: what transfers read beside balances is told apart into values and lists', () => {
  const facts = factsOf({
    'transfer(address,uint256)': { reads: [balances, limit] },
    'transferFrom(address,address,uint256)': { reads: [...transferFrom.reads, list] },
  })
  expect(facts).toMatchObject({ scalars: new Set([limit]), lists: new Set([list]) })
  expect(facts.readsOnly(new Set([limit]))).toBe(false)
  expect(facts.readsOnly(new Set([owner]))).toBe(null)
  const blurred = factsOf({ 'transfer(address,uint256)': { reads: [balances, anySlot] } })
  expect(blurred.readsOnly(new Set([limit]))).toBe(null)
})

const shortKey = `0x${'1'.repeat(16)}`

test.each<[string, Lists, readonly string[], boolean]>([
  ['writes the key', { writes: [limit] }, [limit], true],
  ['writes another key', { writes: ['0x7'] }, [limit], false],
  ['writes one of several keys', { writes: ['0x7', '0x8'] }, [limit, '0x8'], true],
  ['writes nothing', {}, [limit], false],
  ['writes an unknown key', { writes: [anySlot] }, [limit], true],
  ['writes a hash', { writes: [`0x${'ab'.repeat(32)}`] }, [limit], true],
  ['writes the shortest hash', { writes: [`${shortKey}1`] }, [limit], true],
  ['writes the longest number of a slot', { writes: [shortKey] }, [limit], false],
  ['writes a list', { writes: [`map(${shortKey}1)`] }, [limit], false],
  ['was not walked to its end', { isComplete: false }, [limit], true],
  ['runs other code', { opcodes: [opcode.delegateCall] }, [limit], true],
  ['runs other code in the old way', { opcodes: [opcode.callCode] }, [limit], true],
  ['calls another contract', { opcodes: [opcode.call] }, [limit], false],
  ['was not walked, and no key counts', { isComplete: false }, [], false],
  ['writes something, and any key counts', { writes: ['0x7'] }, [anySlot], true],
  ['writes nothing, and any key counts', {}, [anySlot], false],
])('behavior: a function of unknown name that %s', (_what, lists, keys, isWritten) => {
  const writes = (facts: ReturnType<typeof factsOf>) => facts.isWrittenByUnnamed(new Set(keys))
  expect(writes(factsOf({ [unnamed]: lists }))).toBe(isWritten)
  expect(writes(factsOf({}, { fallback: trace(lists) }))).toBe(isWritten)
  // A name says what the function does.
  expect(writes(factsOf({ [mint]: lists }))).toBe(false)
  expect(writes(factsOf({ 'burn(uint256)': lists }))).toBe(false)
})

const owned = { 'owner()': { reads: [owner] } }
const byOwner = { reads: [owner], callerChecks: [`${owner} 0`] }
const power = (lists: Lists) => ({ ...byOwner, writes: [supply, balances], ...lists })

test.each<[string, Readonly<Record<string, Lists>>]>([
  ['no function changes anything', { [mint]: { callerChecks: ['0x7 0'] } }],
  ['the owner decides', { ...owned, [mint]: power({}) }],
  ['supply and lists are read', { ...owned, [mint]: power({ reads: [owner, supply, list] }) }],
  [
    'callers have entries of their own',
    { ...owned, [mint]: power({ callerLists: [balances, allowances, 'map(0x2)'] }) },
  ],
  [
    'only ownership passes to an account that is waiting',
    { ...owned, 'acceptOwnership()': { writes: [owner], callerChecks: ['0x7 0'] } },
  ],
  ['holders burn', { 'burn(uint256)': { writes: [balances], reads: [limit] } }],
])('behavior: nobody but the owner has power: %s', (_reason, functions) => {
  expect(factsOf(functions).hasHiddenOwner).toBe(false)
})

test.each<[string, Readonly<Record<string, Lists>>]>([
  ['no owner can be asked', { [mint]: power({}) }],
  ['the owner is in the code', { 'owner()': {}, [mint]: power({}) }],
  ['a value of unknown purpose is read', { ...owned, [mint]: power({ reads: [owner, limit] }) }],
  ['an unknown key is read', { ...owned, [mint]: power({ reads: [owner, anySlot] }) }],
  ['another account is allowed', { ...owned, [mint]: power({ callerChecks: ['0x7 0'] }) }],
  ['an account in the code', { ...owned, [mint]: power({ callerChecks: ['account 0xab'] }) }],
  [
    'one account more is allowed',
    { ...owned, [mint]: power({ callerChecks: [`${owner} 0`, '0x7 0'] }) },
  ],
  ['a list decides', { ...owned, [mint]: power({ callerLists: [list] }) }],
  ['it was not walked to its end', { ...owned, [mint]: power({ isComplete: false }) }],
  [
    'it only runs other code',
    { ...owned, [unnamed]: { reads: [limit], opcodes: [opcode.delegateCall] } },
  ],
  [
    'one of two functions obeys',
    { ...owned, [mint]: power({}), [unnamed]: { writes: ['0x7'], reads: [limit] } },
  ],
])('behavior: somebody else may have power: %s', (_reason, functions) => {
  expect(factsOf(functions).hasHiddenOwner).toBe(null)
})

test('behavior: a fallback that changes something obeys the owner, or somebody else may', () => {
  const fallbackOf = (lists: Lists) => factsOf(owned, { fallback: trace(lists) })
  expect(fallbackOf(power({})).hasHiddenOwner).toBe(false)
  expect(fallbackOf(power({ callerChecks: ['0x7 0'] })).hasHiddenOwner).toBe(null)
})

test.each(['owner()', 'getOwner()', '_owner()'])('behavior: %s returns the owner', (name) => {
  const facts = factsOf({ [name]: { reads: [owner] }, [mint]: power({}) })
  expect(facts).toMatchObject({ ownerSlots: new Set([owner]), hasHiddenOwner: false })
  expect(facts.keepsOwner).toBe(false)
  expect(factsOf({ [name]: { reads: [owner] }, [unnamed]: { writes: [owner] } }).keepsOwner).toBe(
    null,
  )
})

test.each<[string, number, object]>([
  ['the time', opcode.timestamp, { isTimeless: null, seesContracts: false }],
  ['the block', opcode.number, { isTimeless: null, seesContracts: false }],
  ['who signed', opcode.origin, { isTimeless: false, seesContracts: true }],
  ['the size of code', opcode.extCodeSize, { isTimeless: false, seesContracts: true }],
  ['the hash of code', opcode.extCodeHash, { isTimeless: false, seesContracts: true }],
  ['another contract', opcode.call, { callsOutside: true, seesContracts: null }],
  ['a view of another', opcode.staticCall, { callsOutside: true, seesContracts: null }],
  ['code of another', opcode.delegateCall, { callsOutside: true, seesContracts: null }],
])('behavior: a transfer that looks at %s', (_what, op, judged) => {
  for (const name of ['transfer(address,uint256)', 'transferFrom(address,address,uint256)'])
    expect(factsOf({ [name]: { ...tokenFunctions[name], opcodes: [op] } })).toMatchObject(judged)
  // Reads by other functions do not matter.
  const judgedElsewhere = factsOf({ [mint]: { opcodes: [op] } })
  expect(judgedElsewhere).toMatchObject({ isTimeless: false, seesContracts: false })
  expect(judgedElsewhere.callsOutside).toBe(false)
})

// Each flag with a function that has the power by name, and a key that an unnamed function writes.
test.each<[string, string | null, readonly string[]]>([
  ['canMint', mint, [supply]],
  ['canMint', null, [balances]],
  ['canPause', 'pause()', [limit]],
  ['canBlacklist', 'blacklist(address)', [list]],
  ['canChangeBalance', 'setBalance(address,uint256)', [balances]],
  ['canChangeTax', null, [limit]],
  ['canChangePersonalTax', null, [list]],
  ['canWhitelist', null, [list]],
  ['canChangeMaxAmount', null, [limit]],
])('behavior: %s by name, and unknown where an unnamed function writes', (flag, name, keys) => {
  const reads = { 'transfer(address,uint256)': { reads: [balances, limit, list] } }
  const flagOf = (functions: Readonly<Record<string, Lists>>) =>
    codeFlags(codeOf({ ...reads, ...functions }))[flag as 'canMint']
  expect(flagOf({})).toBe(false)
  if (name !== null) expect(flagOf({ [name]: {} })).toBe(true)
  expect(flagOf({ [unnamed]: { writes: keys } })).toBe(null)
  expect(flagOf({ [unnamed]: { writes: ['0x77'] } })).toBe(false)
})

test('behavior: ownership comes back by a name, or by locking and unlocking', () => {
  const flagOf = (...names: string[]) =>
    codeFlags(codeOf(Object.fromEntries(names.map((name) => [name, {}])))).canTakeBackOwnership
  expect(flagOf('takeOwnership()')).toBe(true)
  expect(flagOf('lock(uint256)')).toBe(false)
  expect(flagOf('unlock()')).toBe(false)
  expect(flagOf('lock(uint256)', 'unlock()')).toBe(true)
})

test('behavior: self-destruction is ruled out only if no code can do it', () => {
  const flagOf = (functions: Readonly<Record<string, Lists>>, more?: Partial<ContractCode>) =>
    codeFlags(codeOf(functions, more)).canSelfDestruct
  const destroying = trace({ opcodes: [opcode.selfDestruct] })
  expect(flagOf({ [unnamed]: { opcodes: [opcode.selfDestruct] } })).toBe(true)
  expect(flagOf({}, { fallback: destroying })).toBe(true)
  expect(flagOf({}, { opcodes: new Set([opcode.selfDestruct]) })).toBe(false)
  expect(flagOf({ [unnamed]: { opcodes: [opcode.callCode] } })).toBe(null)
  expect(flagOf({}, { fallback: trace({ opcodes: [opcode.delegateCall] }) })).toBe(null)
  // Not walked to the end, the code is judged by what it contains anywhere.
  const unwalked = { [unnamed]: { isComplete: false } }
  expect(flagOf(unwalked)).toBe(false)
  for (const op of [opcode.selfDestruct, opcode.delegateCall])
    expect(flagOf(unwalked, { opcodes: new Set([op]) })).toBe(null)
})

test('behavior: authorities are callers of powers, beside the owner and holders', () => {
  const found = findAuthorities(
    codeOf({
      ...owned,
      [mint]: {
        writes: [supply],
        callerChecks: [`${owner} 0`, '0x7 160', 'account 0xab'],
        callerLists: [list, balances, 'map(0x2)', 'map(map(0x8))'],
      },
      // Changes what transfers depend on, and may be a claim: its lists are of its own.
      [unnamed]: { writes: [balances], callerChecks: ['0x8 0'], callerLists: ['map(0xa)'] },
      'other()': { writes: ['0x77'], callerChecks: ['0xb 0'] },
      'mint(address)': { callerChecks: ['0xc 0'], callerLists: ['map(0xd)'] },
      'burn(uint256)': { writes: [balances], callerChecks: ['0xe 0'] },
      'swapBack()': { writes: [balances], callerChecks: ['0xf 0'] },
    }),
  )
  expect(found).toEqual({
    stored: [
      { slot: '0x7', shift: 160 },
      { slot: '0x8', shift: 0 },
    ],
    accounts: ['0xab'],
    lists: ['0x6'],
  })
})

test('behavior: standard functions and those of an owner are no powers', () => {
  const isPower = (name: string) => isNamedPower(toFunctionSelector(name))
  expect(['mint(uint256)', 'pause()', 'upgradeTo(address)'].map(isPower)).toEqual([
    true,
    true,
    true,
  ])
  expect(
    ['transfer(address,uint256)', 'owner()', 'burn(uint256)', 'abc(uint256)'].map(isPower),
  ).toEqual([false, false, false, false])
})
