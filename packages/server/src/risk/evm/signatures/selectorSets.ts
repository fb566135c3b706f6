import { toFunctionSelector } from 'viem'
import { listSignatures } from './listSignatures.ts'
import { taxSignatures, tradingSignatures } from './tradingSignatures.ts'

/** Functions that change who controls a token or what its holders own. */
const controlSignatures = {
  /** Bring renounced ownership back. */
  takeBack: [
    'lock(uint256)',
    'reclaimOwnership()',
    'recoverOwnership()',
    'restoreOwnership()',
    'takeOwnership()',
    'unlock()',
  ],
  /** Create more of the token. */
  mint: [
    '_mint(address,uint256)',
    'addMinter(address)',
    'addSupply(uint256)',
    'adminMint(address,uint256)',
    'batchMint(address[],uint256[])',
    'bulkMint(address[],uint256[])',
    'configureMinter(address,uint256)',
    'createTokens(uint256)',
    'generateTokens(address,uint256)',
    'increaseSupply(uint256)',
    'issue(address,uint256)',
    'issue(uint256)',
    'mint()',
    'mint(address)',
    'mint(address,uint256)',
    'mint(uint256)',
    'mintTo(address,uint256)',
    'mintToken(address,uint256)',
    'mintTokens(address,uint256)',
    'mintTokens(uint256)',
    'ownerMint(uint256)',
    'print(address,uint256)',
    'setMinter(address)',
    'setMinter(address,bool)',
  ],
  /** Change the balance of another account. */
  setBalance: [
    'adminBurn(address,uint256)',
    'adminTransfer(address,address,uint256)',
    'burn(address,uint256)',
    'burnBlackFunds(address)',
    'clawback(address,uint256)',
    'confiscate(address)',
    'controllerTransfer(address,address,uint256,bytes,bytes)',
    'forceBurn(address,uint256)',
    'forcedTransfer(address,address,uint256)',
    'forceTransfer(address,address,uint256)',
    'rebase(uint256,int256)',
    'redeem(address,uint256)',
    'seize(address)',
    'seize(address,uint256)',
    'setBal(address,uint256)',
    'setBalance(address,uint256)',
    'setBalances(address[],uint256[])',
    'updateBalance(address,uint256)',
    'wipeFrozenAddress(address)',
  ],
  /** Replace the code at the address. */
  upgrade: [
    'changeAdmin(address)',
    'setImplementation(address)',
    'upgrade(address)',
    'upgradeImplementation(address)',
    'upgradeTo(address)',
    'upgradeToAndCall(address,bytes)',
  ],
} as const

/** Functions that give no power over holders. */
const harmlessSignatures = {
  /** The ERC-20 functions themselves, and read-only ones. */
  standard: [
    'allowance(address,address)',
    'approve(address,uint256)',
    'approveAndCall(address,uint256,bytes)',
    'balanceOf(address)',
    'cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
    'cap()',
    'decimals()',
    'decreaseAllowance(address,uint256)',
    'decreaseApproval(address,uint256)',
    'delegate(address)',
    'delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)',
    'delegates(address)',
    'deposit()',
    'DOMAIN_SEPARATOR()',
    'eip712Domain()',
    'getPastVotes(address,uint256)',
    'getVotes(address)',
    'increaseAllowance(address,uint256)',
    'increaseApproval(address,uint256)',
    'name()',
    'nonces(address)',
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    'PERMIT_TYPEHASH()',
    'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'supportsInterface(bytes4)',
    'symbol()',
    'totalSupply()',
    'transfer(address,uint256)',
    'transferAndCall(address,uint256,bytes)',
    'transferFrom(address,address,uint256)',
    'transferFromAndCall(address,address,uint256)',
    'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
    'version()',
    'withdraw(uint256)',
  ],
  /** Holders destroy their own tokens or those approved to them. */
  burn: ['burn(uint256)', 'burnFrom(address,uint256)'],
  /** Return the owner or transfer ownership openly. */
  owner: [
    '_owner()',
    'acceptOwnership()',
    'claimOwnership()',
    'getOwner()',
    'owner()',
    'pendingOwner()',
    'renounceOwnership()',
    'transferOwnership(address)',
  ],
} as const

/** Selectors of the functions known by name, grouped by effect. */
export const selectorSets = {
  ...setsOf(harmlessSignatures),
  ...setsOf(controlSignatures),
  ...setsOf(listSignatures),
  ...setsOf(tradingSignatures),
  ...setsOf(taxSignatures),
}

export type Power = keyof typeof selectorSets

function setsOf<power extends string>(
  signatures: Readonly<Record<power, readonly string[]>>,
): Record<power, ReadonlySet<string>> {
  const sets = Object.entries<readonly string[]>(signatures).map(([power, names]) => [
    power,
    new Set<string>(names.map((signature) => toFunctionSelector(signature))),
  ])
  return Object.fromEntries(sets)
}
