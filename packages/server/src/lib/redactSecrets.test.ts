import { expect, test } from 'vitest'
import {
  placedSecrets,
  quotesOf,
  secretsIn,
  urlWithSecrets,
} from '../../../../test/support/quotingNode.ts'
import { createSecretRedactor } from './redactSecrets.ts'

const url = urlWithSecrets('https://node.example')
const hide = createSecretRedactor({ urls: [url] })

test('default: secrets of all places of an address, however they are written', () => {
  const quotes = quotesOf(url)
  expect(quotes.length).toBeGreaterThan(150)
  for (const quote of quotes) {
    expect(secretsIn(hide(`Refused ${quote} now`)), quote).toEqual([])
    expect(secretsIn(hide(`{"url":"${quote}","k":"${quote}"}`)), quote).toEqual([])
  }
  // The search finds every secret in the texts before they are hidden.
  expect(new Set(quotes.flatMap(secretsIn))).toEqual(new Set(Object.values(placedSecrets)))
})

test('behavior: the rest of a text stays', () => {
  expect(hide(`It refused ${url} at node.example: limit is 500 a second.`)).toBe(
    'It refused https://<hidden>:<hidden>@node.example/<hidden>/<hidden>/?apikey=<hidden>&t=<hidden>&<hidden> at node.example: limit is 500 a second.',
  )
})

test('behavior: a short secret counts where it stands alone', () => {
  const hideShort = createSecretRedactor({ urls: ['https://node.example/v2/eth?v=1'] })
  expect(hideShort('eth_getLogs of /v2/eth?v=1 took 1001 ms: ethereum v21')).toBe(
    'eth_getLogs of /<hidden>/<hidden>?v=<hidden> took 1001 ms: ethereum v21',
  )
  expect(hideShort(encodeURIComponent('a/eth?v=1'))).toBe('a%2F<hidden>%3Fv%3D<hidden>')
})

test('behavior: of a database the login and what is set, not where it is', () => {
  const given = 'postgres://me:pw-of-mine@one:5432,two:5432/market?sslpassword=hush-hush&port=1'
  const hideIt = createSecretRedactor({ urls: [given] })
  expect(hideIt('user "me" of market at two:5432 has pw-of-mine, hush-hush, 1 try')).toBe(
    'user "<hidden>" of market at two:5432 has <hidden>, <hidden>, 1 try',
  )
})

test('behavior: words and addresses that do not parse are hidden whole', () => {
  const hideWords = createSecretRedactor({
    urls: ['not an address'],
    words: ['a-token-of-mine', ''],
  })
  expect(hideWords('a-token-of-mine at not an address')).toBe('<hidden> at <hidden>')
  expect(createSecretRedactor({ urls: [] })('nothing')).toBe('nothing')
  expect(createSecretRedactor({ urls: ['https://node.example'] })('node.example/')).toBe(
    'node.example/',
  )
})
