/*
 * What no honest key is: points of small order, by their 32 bytes in base64 with the top bit cleared. With such an
 * X25519 key every shared secret is zero; such an Ed25519 key accepts one signature for every message.
 * Spellings of these points at or above the prime are refused before anybody looks here.
 */

/** Zero, one, and the prime less one. */
const ends = [
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  '7P///////////////////////////////////////38=',
];

export const smallOrderPoints = {
  sign: new Set([
    ...ends,
    'JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU=',
    'xxdqcD1N2E+6PAt2DRBnDyogU/osOczGTsf9d5KsA3o=',
  ]),
  encrypt: new Set([
    ...ends,
    '4Ot6fDtBuK4WVuP68Z/EatoJjeucMrH9hmIFFl9JuAA=',
    'X5yVvKNQjCSx0LFVnIPvWwREXMRYHI6G2CJO3dCfEVc=',
  ]),
} as const;
