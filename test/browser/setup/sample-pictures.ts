import type { Page } from 'playwright-core';

/** A picture that the browser draws, with many colours, so that it does not compress well. */
export async function drawPicture(
  page: Page,
  {
    type,
    width,
    height,
    isNoisy = false,
  }: { type: string; width: number; height: number; isNoisy?: boolean },
): Promise<Buffer> {
  const base64 = await page.evaluate(
    async ({ type, width, height, isNoisy }) => {
      const { OffscreenCanvas, FileReader } = globalThis as unknown as BrowserClasses;
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext('2d');
      context.fillStyle = '#2a6';
      context.fillRect(0, 0, width, height);
      context.fillStyle = '#fff';
      context.font = '24px sans-serif';
      context.fillText('orders: lock waits 14 min', 20, 60);
      for (let at = 0; isNoisy && at < 100_000; at += 1) {
        context.fillStyle = `hsl(${(at * 47) % 360} 80% 50%)`;
        context.fillRect(Math.random() * width, Math.random() * height, 9, 9);
      }
      const blob = await canvas.convertToBlob({ type });
      return new Promise<string>((resolve) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.split(',')[1] ?? '');
        reader.readAsDataURL(blob);
      });
    },
    { type, width, height, isNoisy },
  );
  return Buffer.from(base64, 'base64');
}

interface BrowserClasses {
  readonly OffscreenCanvas: new (
    width: number,
    height: number,
  ) => {
    getContext(kind: '2d'): {
      fillStyle: string;
      font: string;
      fillRect(x: number, y: number, width: number, height: number): void;
      fillText(text: string, x: number, y: number): void;
    };
    convertToBlob(options: { type: string }): Promise<unknown>;
  };
  readonly FileReader: new () => { result: string; onload: () => void; readAsDataURL(blob: unknown): void };
}

/** The same JPEG with a segment that says where and with what it was taken. */
export function withPosition(jpeg: Buffer): Buffer {
  const position = Buffer.from('Exif\0\0GPSLatitude 52.5200 N, GPSLongitude 13.4050 E, Camera 1234');
  const length = Buffer.from([0xff, 0xe1, 0, position.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), length, position, jpeg.subarray(2)]);
}
