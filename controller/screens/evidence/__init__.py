"""What cameras and lines had: pictures, doubts and bytes beside what people are asked."""
