import { expect, test } from 'vitest'
import type { ReadyInfo } from '../app/startApp.ts'
import { readyJson, readyText } from './readyText.ts'

const info: ReadyInfo = {
  address: 'http://127.0.0.1:8080',
  apiKey: 'ct_key',
  earlierKeysUntilS: null,
  chains: ['eth', 'bsc'],
  waiting: ['bsc: no block is applied yet (no node has answered)'],
  isExposed: false,
  devnetRpcUrl: null,
  examplePairId: '0xab-eth',
}

test('behavior: a chain that cannot be asked yet is named with its reason', () => {
  expect(readyText(info)).toContain(
    [
      'Chaintape serves, but not all of it yet:',
      '  bsc: no block is applied yet (no node has answered)',
      '',
      '  address    http://127.0.0.1:8080',
      '  API key    ct_key',
    ].join('\n'),
  )
  expect(readyJson(info)).toMatchObject({ ready: false, waiting: info.waiting })
  expect(readyText({ ...info, waiting: [] })).toContain('\nChaintape is ready.\n\n')
  expect(readyJson({ ...info, waiting: [] })).toMatchObject({ ready: true, waiting: [] })
})

test('behavior: a later start says how long the keys before work', () => {
  const text = readyText({ ...info, waiting: [], earlierKeysUntilS: 1_763_000_000 })
  expect(text.split('\n').slice(4, 7)).toEqual([
    '  API key    ct_key',
    '             keys of earlier starts go on working, the last until 2025-11-13T02:13:20Z',
    '  chains     eth, bsc',
  ])
})

test('behavior: an address that others can reach is warned of', () => {
  const warning = /nothing is encrypted: put TLS in front/
  expect(readyText(info)).not.toMatch(warning)
  expect(readyText({ ...info, isExposed: true })).toMatch(warning)
  expect(readyJson({ ...info, isExposed: true })).toMatchObject({ exposed: true })
})
