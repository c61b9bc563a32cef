class Temper < Formula
  desc "Logistic regression for people whose labels are partly wrong"
  homepage "https://github.com/OWNER/temper"
  url "https://github.com/OWNER/temper/releases/download/v0.1.0/temper-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "binutils" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on :linux
  depends_on "xxhash"
  depends_on "zstd"

  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DTEMPER_TESTS=OFF", "-DTEMPER_MPI=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"rows.csv").write("x,y\n1,a\n2,a\n3,b\n4,b\n")
    system bin/"temper", "train", "rows.csv"
    assert_path_exists testpath/"rows.csv.temper"
  end
end
