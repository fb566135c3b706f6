import { expect, test } from 'vitest'
import { isPublicAddress } from './publicAddress.ts'

test.each([
  ['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9'],
  ['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '192.0.0.8', '192.0.2.1'],
  ['198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.7', '224.0.0.1', '255.255.255.255'],
  ['::', '::1', '::ffff:8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1'],
  ['fc00::1', 'fdff::1', 'fe80::1', 'fec0::1', 'ff02::1', '64:ff9b::a00:1', '64:ff9b:1::1'],
  [
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '100::1',
    '',
    'localhost',
    '127.1',
    '8.8.8',
  ],
])('behavior: %s and the like are not public', (...addresses) => {
  for (const address of addresses)
    expect([address, isPublicAddress(address)]).toEqual([address, false])
})

test('behavior: those of the internet are', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
    '192.169.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
  ])
    expect([address, isPublicAddress(address)]).toEqual([address, true])
})
