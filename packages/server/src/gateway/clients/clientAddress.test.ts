import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { isAddressRange } from '../../lib/addressRange.ts'
import { createClientAddresses } from './clientAddress.ts'

function requestOf(remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage {
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage
}

test('default: without trusted proxies a client is its peer address, whatever its headers claim', () => {
  const { ofRequest, ofPeer } = createClientAddresses([])
  const said = { 'x-forwarded-for': '6.6.6.6', forwarded: 'for=7.7.7.7' }
  expect(ofRequest(requestOf('10.0.0.1', said))).toBe('10.0.0.1')
  expect(ofPeer('10.0.0.1')).toBe('10.0.0.1')
})

test.each([
  ['the nearest that is no proxy', { 'x-forwarded-for': '6.6.6.6, 9.9.9.9' }, '9.9.9.9'],
  ['one proxy behind another', { 'x-forwarded-for': '6.6.6.6, 9.9.9.9, 10.1.2.3' }, '9.9.9.9'],
  ['proxies alone', { 'x-forwarded-for': '10.0.0.7, 10.1.2.3' }, '10.0.0.7'],
  ['nothing', {}, '10.0.0.1'],
  ['what is no address', { 'x-forwarded-for': '9.9.9.9, nobody' }, '10.0.0.1'],
  ['a port', { 'x-forwarded-for': '9.9.9.9:4711' }, '9.9.9.9'],
  ['IPv6', { 'x-forwarded-for': '2001:db8:1:2:3:4:5:6' }, '2001:db8:1:2::/64'],
  [
    'Forwarded',
    { forwarded: 'for=6.6.6.6, for="[2001:db8::9]:80";proto=https' },
    '2001:db8:0:0::/64',
  ],
  ['Forwarded without a name', { forwarded: 'proto=https' }, '10.0.0.1'],
])('behavior: a trusted proxy names the client: %s', (_, headers, address) => {
  const { ofRequest } = createClientAddresses(['10.0.0.0/8'])
  expect(ofRequest(requestOf('10.0.0.1', headers as Record<string, string>))).toBe(address)
})

test('behavior: a trusted proxy itself is not counted as a client, over IPv4 or IPv6', () => {
  const { ofPeer, ofRequest } = createClientAddresses(['10.0.0.0/8', '2001:db8::/32'])
  expect(ofPeer('10.1.1.1')).toBe(null)
  expect(ofPeer('::ffff:10.1.1.1')).toBe(null)
  expect(ofPeer('2001:db8::1')).toBe(null)
  expect(ofPeer('::ffff:11.1.1.1')).toBe('11.1.1.1')
  expect(ofPeer(undefined)).toBe('')
  const through = requestOf('::ffff:10.1.1.1', { 'x-forwarded-for': '::ffff:9.9.9.9' })
  expect(ofRequest(through)).toBe('9.9.9.9')
})

test('behavior: addresses of one IPv6 network count as one client', () => {
  const { ofPeer } = createClientAddresses([])
  const all = ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::', '2001:0db8:0001:0002:1:2:3:4']
  expect(new Set(all.map(ofPeer))).toEqual(new Set(['2001:db8:1:2::/64']))
  expect(ofPeer('2001:db8:1:3::1')).not.toBe(ofPeer('2001:db8:1:2::1'))
  expect(ofPeer('::1')).toBe('0:0:0:0::/64')
  // The zeros that `::` stands for end within the network's own groups.
  expect(ofPeer('2001::2:3:4:5:6:7')).toBe('2001:0:2:3::/64')
  expect(ofPeer('::2:3:4:5:6:7')).toBe('0:0:2:3::/64')
  expect(ofPeer('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
})

test.each([
  ['10.0.0.0/8', true],
  ['10.0.0.1', true],
  ['::1', true],
  ['2001:db8::/32', true],
  ['10.0.0.0/33', false],
  ['2001:db8::/129', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/', false],
  ['localhost', false],
  ['', false],
])('args: range %s', (text, isRange) => {
  expect(isAddressRange(text)).toBe(isRange)
})
