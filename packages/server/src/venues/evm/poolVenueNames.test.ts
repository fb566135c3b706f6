import { expect, test } from 'vitest'
import { poolVenueNames } from './poolVenueNames.ts'
import { evmVenues } from './venues.ts'

test('default: the list has every venue with pools, and no other', () => {
  const ofPools = evmVenues.filter(({ kind }) => kind !== 'curve')
  expect(poolVenueNames).toEqual(ofPools.map(({ name }) => name))
})
