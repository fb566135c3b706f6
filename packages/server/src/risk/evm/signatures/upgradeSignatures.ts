/** The code behind the address is replaced. */
export const upgradeSignatures: readonly string[] = [
  'changeAdmin(address)',
  'setImplementation(address)',
  'upgrade(address)',
  'upgradeImplementation(address)',
  'upgradeTo(address)',
  'upgradeToAndCall(address,bytes)',
]
